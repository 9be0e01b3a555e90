/**
 * The sandbox's phone inbox: codes that would have been sent, arriving while one looks. Tags narrow it; scripts wait
 * for a code.
 */

import { Badge, Code, CopyButton, Group, Paper, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { Message } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { showNumber, showTime } from '../parts/format.ts';
import { ButtonLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Empty, Failure, Page, Waiting } from '../parts/page.tsx';
import { curl } from '../shell/curl.ts';
import { Request } from '../shell/show-as-request.tsx';

/** Without live events. */
const pollMs = 2_000;

/** What a message can be found by, beside its text: how it came, its language, and who asked for it. */
function tagsOf(
  { delivery_method: method, language, verification_id: id }: Message,
  names: ReadonlyMap<string, string>,
) {
  const application = names.get(id);
  return [method === 'sms' ? 'SMS' : 'spoken', language, ...(application === undefined ? [] : [application])];
}

const colorOf = (tag: string): string => (tag === 'SMS' ? 'blue' : tag === 'spoken' ? 'grape' : 'gray');

export function Inbox() {
  const [search, change] = useListSearch();
  const typed = String(search.q ?? '');
  const tag = search.tag === undefined ? null : String(search.tag);
  const digits = typed.replace(/\D/g, '');
  const read = useRead(
    pathWith('/sandbox/v1/messages', { destination: digits.length >= 7 ? digits : '' }),
    useFallback(pollMs),
  );
  const started = useRead(pathWith('/panel/v1/verifications', { sort: '-created_at', 'page[size]': 100 }));
  const names = new Map((started.data?.data ?? []).map(({ id, attributes }) => [id, attributes.application_name]));
  const messages = read.data?.messages ?? [];
  const tags = [...new Set(messages.flatMap((message) => tagsOf(message, names)))].toSorted();
  const found = messages.filter(
    (message) =>
      (tag === null || tagsOf(message, names).includes(tag)) &&
      (typed === '' ||
        (digits !== '' && message.destination.includes(digits)) ||
        message.text.toLowerCase().includes(typed.toLowerCase())),
  );
  return (
    <Page title="Phone inbox" about="Codes that would have been sent by SMS or spoken. Nothing leaves the sandbox.">
      <Group align="flex-end">
        <TextInput
          label="Search"
          placeholder="Number or text"
          type="search"
          w={{ base: '100%', xs: 300 }}
          value={typed}
          onChange={({ currentTarget }) => change({ q: currentTarget.value })}
        />
        <Group gap={6} pb={8} role="group" aria-label="Tags">
          {tags.map((each) => (
            <UnstyledButton
              key={each}
              aria-pressed={each === tag}
              onClick={() => change({ tag: each === tag ? undefined : each })}
            >
              <Badge variant={each === tag ? 'filled' : 'light'} color={colorOf(each)} style={{ cursor: 'pointer' }}>
                {each}
              </Badge>
            </UnstyledButton>
          ))}
        </Group>
      </Group>
      {read.error && <Failure error={read.error} retry={() => read.refetch()} />}
      {read.isPending && <Waiting />}
      {read.data && found.length === 0 && (
        <Paper withBorder>
          <Empty
            title={typed === '' && tag === null ? 'No messages yet' : 'No message matches'}
            action={<ButtonLink to="/applications">OTP applications</ButtonLink>}
          >
            Start a verification with one of your OTP applications; its code arrives here at once.
          </Empty>
        </Paper>
      )}
      <Stack gap="xs" aria-live="polite">
        {found.map((message) => (
          <MessageCard key={message.id} message={message} tags={tagsOf(message, names)} />
        ))}
      </Stack>
      <Stack gap={4}>
        <Text size="sm" c="dimmed">
          A script waits for the code of a number like this:
        </Text>
        <Request
          text={curl(
            window.location.origin,
            'GET',
            pathWith('/sandbox/v1/messages', { destination: digits || '447700900123', wait: 30 }),
          )}
        />
      </Stack>
    </Page>
  );
}

function MessageCard({ message, tags }: { message: Message; tags: readonly string[] }) {
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb={4}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {showNumber(message.destination)}
          </Text>
          {tags.map((tag) => (
            <Badge key={tag} variant="light" color={colorOf(tag)}>
              {tag}
            </Badge>
          ))}
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
  );
}
