/** A dry run of routing: where a call would go now, and why. */

import { Alert, Button, Group, List, Paper, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { RouteLink } from '../parts/links.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { Failure, Page, Waiting } from '../parts/page.tsx';
import type { RoutingDecision } from './documents.ts';

export function Routing() {
  const [search, change] = useListSearch();
  const [from, setFrom] = useState(String(search.from ?? '447700900123'));
  const [to, setTo] = useState(String(search.to ?? ''));
  const asked = search.to === undefined ? null : { from: String(search.from ?? from), to: String(search.to) };
  const read = useRead(asked && pathWith('/operator/v1/routing', asked));
  return (
    <Page
      title="Routing dry run"
      about="Decides as the routing of inbound calls does, with the channels in use at this moment. No call is made and nothing is stored."
    >
      <Paper withBorder p="md">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            change({ from: from.trim(), to: to.replace(/\D/g, '') });
            read.refetch();
          }}
        >
          <Group align="flex-end">
            <TextInput label="Caller" value={from} onChange={({ currentTarget }) => setFrom(currentTarget.value)} />
            <TextInput
              label="Called number"
              value={to}
              placeholder="A number of a customer"
              onChange={({ currentTarget }) => setTo(currentTarget.value)}
            />
            <Button type="submit" loading={asked !== null && read.isFetching} disabled={to.trim() === ''}>
              Try the route
            </Button>
          </Group>
        </form>
      </Paper>
      {asked !== null && read.error && <Failure error={read.error} />}
      {asked !== null && read.isPending && !read.error && <Waiting />}
      {asked !== null && read.data && <Decision decision={read.data} />}
    </Page>
  );
}

function Decision({ decision }: { decision: RoutingDecision }) {
  const { trunks, notes, reason, code, account_id: account } = decision;
  const isRouted = decision.decision === 'routed';
  return (
    <Stack>
      <Alert
        color={isRouted ? 'teal' : 'red'}
        variant="light"
        title={isRouted ? 'The call would be delivered' : `The call would be refused: ${code} ${reason}`}
        role="status"
      >
        {account === null ? (
          <Text size="sm">No customer has this number.</Text>
        ) : (
          <RouteLink to="/operator/accounts/$id" params={{ id: account }}>
            The customer
          </RouteLink>
        )}
      </Alert>
      {trunks.length > 0 && (
        <Paper withBorder>
          <Title order={2} size="h5" p="md" pb="xs">
            Trunks in the order they would be tried
          </Title>
          <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
            <Table aria-label="Trunks">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Trunk</Table.Th>
                  <Table.Th>Destination</Table.Th>
                  <Table.Th ta="right">Priority</Table.Th>
                  <Table.Th ta="right">Weight</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {trunks.map((trunk) => (
                  <Table.Tr key={trunk.id}>
                    <Table.Td>{trunk.name}</Table.Td>
                    <Table.Td>{trunk.destination}</Table.Td>
                    <Table.Td ta="right">{trunk.priority}</Table.Td>
                    <Table.Td ta="right">{trunk.weight}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
      {notes.length > 0 && (
        <Paper withBorder p="md">
          <Title order={2} size="h5" mb="xs">
            What was considered
          </Title>
          <List size="sm">
            {notes.map((note) => (
              <List.Item key={note}>{note}</List.Item>
            ))}
          </List>
        </Paper>
      )}
    </Stack>
  );
}
