/** The signature debugger: paste a request that a receiver got, see the first line that differs from what was sent. */

import { Alert, Button, Group, Paper, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { type AnswerOf, pathWith } from '../api/routes.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError, Page } from '../parts/page.tsx';
import { StateBadge } from '../parts/states.tsx';

type Check = AnswerOf<'POST /panel/v1/signature_checks'>;

const example = `POST /hooks HTTP/1.1
content-type: application/x-www-form-urlencoded
webhook-id: …
webhook-timestamp: …
webhook-signature: v1,…

id=…&status=completed&type=orders`;

export function Signatures() {
  const [text, setText] = useState('');
  const [secret, setSecret] = useState('');
  const check = useWrite<'POST /panel/v1/signature_checks'>();
  return (
    <Page
      title="Signature debugger"
      about="Paste a callback as your program received it, with its headers. It is compared with what was sent, line by line."
    >
      <Paper withBorder p="md" component="section" aria-label="Received request">
        <Stack>
          <Textarea
            label="Received request"
            description="The request line, the headers, an empty line, the body."
            placeholder={example}
            autosize
            minRows={8}
            maxRows={24}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <TextInput
            label="Secret that your program uses"
            description="Optional: says whether it is the right one. It is not stored."
            type="password"
            autoComplete="off"
            maw={360}
            value={secret}
            onChange={({ currentTarget }) => setSecret(currentTarget.value)}
          />
          <FormError text={check.error?.message} />
          <Group justify="flex-end">
            <Button
              disabled={text.trim() === ''}
              loading={check.isPending}
              onClick={() =>
                check.mutate({
                  method: 'POST',
                  path: pathWith('/panel/v1/signature_checks'),
                  body: { request: text, ...(secret === '' ? {} : { secret }) },
                })
              }
            >
              Compare
            </Button>
          </Group>
        </Stack>
      </Paper>
      {check.data && <Result check={check.data} />}
    </Page>
  );
}

function Result({ check }: { check: Check }) {
  return (
    <>
      <Alert
        role="status"
        variant="light"
        color={check.first_difference === null && check.signature_matches !== false ? 'teal' : 'red'}
        title={
          check.first_difference === null
            ? 'The request is what was sent'
            : `The first difference is in: ${check.first_difference}`
        }
      >
        <Text size="sm">
          {check.signature_matches
            ? 'Its signature is right.'
            : 'With what was received, the signature comes out differently.'}{' '}
          {check.secret_matches === false && 'Your secret is not the one that signed. '}
          It was signed with{' '}
          {check.signed_with === 'api_key'
            ? 'the API key that asked for the callback'
            : "the account's callback secret"}
          .{' '}
          <RouteLink to="/callbacks/$id" params={{ id: check.callback_id }}>
            The callback
          </RouteLink>
        </Text>
      </Alert>
      <Paper withBorder>
        <Table.ScrollContainer minWidth={480} type="native">
          <Table aria-label="Lines" verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Line</Table.Th>
                <Table.Th>Sent</Table.Th>
                <Table.Th>Received</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {check.lines.map(({ what, sent, received, same }) => (
                <Table.Tr
                  key={what}
                  {...(what === check.first_difference ? { bg: 'var(--mantine-color-red-light)' } : {})}
                >
                  <Table.Td>{what}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{sent ?? '–'}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{received ?? '–'}</Table.Td>
                  <Table.Td ta="right">
                    <StateBadge word={same ? 'same' : 'differs'} good={same} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </>
  );
}
