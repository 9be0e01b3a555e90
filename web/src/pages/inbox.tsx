/** The sandbox's phone inbox: codes that would have been sent, arriving while one looks. */
import { Badge, Code, CopyButton, Group, Paper, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { Message } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { pathWith, useRead } from '../api/queries.ts';
import { showNumber, showTime } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';

/** Without live events. */
const pollMs = 2_000;

export function Inbox() {
  const [search, change] = useListSearch();
  const typed = String(search.q ?? '');
  const digits = typed.replace(/\D/g, '');
  const read = useRead<{ messages: Message[] }>(
    pathWith('/sandbox/v1/messages', { destination: digits.length >= 7 ? digits : '' }),
    useFallback(pollMs),
  );
  const found = (read.data?.messages ?? []).filter(
    ({ destination, text }) =>
      typed === '' ||
      (digits !== '' && destination.includes(digits)) ||
      text.toLowerCase().includes(typed.toLowerCase()),
  );
  return (
    <Page title="Phone inbox" about="Codes that would have been sent by SMS or spoken. Nothing leaves the sandbox.">
      <TextInput
        label="Search"
        placeholder="Number or text"
        type="search"
        maw={300}
        value={typed}
        onChange={({ currentTarget }) => change({ q: currentTarget.value })}
      />
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.isPending && <Waiting />}
      {read.data && found.length === 0 && (
        <Paper withBorder>
          <Empty
            title={typed === '' ? 'No messages yet' : 'No message matches'}
            action={<ButtonLink to="/applications">OTP applications</ButtonLink>}
          >
            Start a verification with one of your OTP applications; its code arrives here at once.
          </Empty>
        </Paper>
      )}
      <Stack gap="xs" aria-live="polite">
        {found.map((message) => (
          <Paper key={message.id} withBorder p="md">
            <Group justify="space-between" mb={4}>
              <Group gap="xs">
                <Text fw={600} size="sm">
                  {showNumber(message.destination)}
                </Text>
                <Badge variant="light" color={message.delivery_method === 'sms' ? 'blue' : 'grape'}>
                  {message.delivery_method === 'sms' ? 'SMS' : 'spoken'}
                </Badge>
              </Group>
              <Text size="sm" c="dimmed">
                {showTime(message.created_at)}
              </Text>
            </Group>
            <Group justify="space-between" wrap="nowrap" align="flex-end">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {message.text}
              </Text>
              <CopyButton value={message.code}>
                {({ copied, copy }) => (
                  <UnstyledButton onClick={copy} aria-label={`Copy code ${message.code}`}>
                    <Code fz="md">{copied ? 'Copied' : message.code}</Code>
                  </UnstyledButton>
                )}
              </CopyButton>
            </Group>
            {message.audio_url && (
              // biome-ignore lint/a11y/useMediaCaption: the text above is what is spoken
              <audio
                controls
                preload="none"
                src={message.audio_url}
                aria-label={`Spoken code for ${showNumber(message.destination)}`}
              />
            )}
          </Paper>
        ))}
      </Stack>
    </Page>
  );
}
