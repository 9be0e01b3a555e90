/**
 * *Show as request*: what is on screen as curl lines or calls of a program, taken from what the page really asked for.
 */
import { Button, Code, CopyButton, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addressOf } from '../api/base.ts';
import { useSession } from '../api/queries.ts';
import { type Language, languages, readingProgram } from './programs.ts';

const publicUrl = window.location.origin + addressOf('');

const isLanguage = (word: string): word is Language => Object.hasOwn(languages, word);

export function ShowAsRequest() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="transparent" size="xs" px={0} onClick={open}>
        Show as request
      </Button>
      <Modal opened={opened} onClose={close} title="This page as requests" size="xl">
        {opened && <Requests />}
      </Modal>
    </>
  );
}

function Requests() {
  const { data: session } = useSession();
  const isOperator = session?.kind === 'operator' && session.account === null;
  const [language, setLanguage] = useState<Language>('curl');
  const cache = useQueryClient().getQueryCache();
  const paths = cache
    .findAll({ type: 'active' })
    .map(({ queryKey: [path] }) => path)
    .filter((path) => typeof path === 'string');
  const open = paths.filter((path) => !path.startsWith('/panel/'));
  const own = paths.filter((path) => path.startsWith('/panel/') && !path.endsWith('/session'));
  return (
    <Stack>
      <Text size="sm">
        Everything shown here comes from the public interface. Put {isOperator ? "an operator's" : 'an API'} key in
        place of <Code>YOUR_KEY</Code>; {isOperator ? 'an owner creates' : 'you create'} one under{' '}
        <em>{isOperator ? 'Operator keys' : 'API keys'}</em>.
      </Text>
      {open.length > 0 && (
        <SegmentedControl
          aria-label="Language"
          value={language}
          onChange={(value) => setLanguage(isLanguage(value) ? value : 'curl')}
          data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        />
      )}
      {open.map((path) => (
        <Request key={path} text={readingProgram(language, publicUrl, path)} />
      ))}
      {own.length > 0 && (
        <Text size="sm" c="dimmed">
          Only in the panel, without a public interface: {own.map((path) => path.split('?')[0]).join(', ')}.
        </Text>
      )}
      {open.length === 0 && own.length === 0 && <Text size="sm">This page makes no requests to the server.</Text>}
    </Stack>
  );
}

export function Request({ text }: { text: string }) {
  return (
    <Group align="flex-start" wrap="nowrap" gap="xs">
      <Code block flex={1} miw={0} tabIndex={0}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
