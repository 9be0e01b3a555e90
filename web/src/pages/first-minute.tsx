/**
 * The guided first minute: buy a number, say where it rings, call it, see what happened. Each step does the real thing
 * with one request, shows its result, and is done when the account has what it makes.
 */

import { Alert, Button, Code, Group, Paper, Stack, Stepper, Table, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAct } from '../api/acts.ts';
import { addressOf } from '../api/base.ts';
import { relatedMany } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { useRead } from '../api/queries.ts';
import { get } from '../api/request.ts';
import { type BodyOf, pathWith } from '../api/routes.ts';
import type { Send } from '../api/writer.ts';
import { showMoney, showNumber } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError, Page } from '../parts/page.tsx';
import { eventType, isSettled, StateBadge } from '../parts/states.tsx';

interface Progress {
  did?: { id: string; number: string };
  trunkId?: string;
  callId?: string;
}

export function FirstMinute() {
  const [progress, setProgress] = useState<Progress>({});
  const { did, trunkId, callId } = progress;
  const step = callId ? 3 : trunkId ? 2 : did ? 1 : 0;
  const add = (more: Progress) => setProgress((before) => ({ ...before, ...more }));
  return (
    <Page title="First minute" about="Four steps in the sandbox, with real results. Nothing costs money here.">
      <Stepper active={step} orientation="vertical" size="sm">
        <Stepper.Step label="Buy a number" description={did && showNumber(did.number)}>
          <Step
            text="A London number with one channel is ordered from your balance."
            button="Buy a number"
            run={buy}
            onDone={(bought) => add({ did: bought })}
          />
        </Stepper.Step>
        <Stepper.Step label="Say where it rings" description={trunkId && 'sip.example.com'}>
          {did && (
            <Step
              text={`A trunk for the SIP host sip.example.com is added, and ${showNumber(did.number)} rings there. If your call events go nowhere yet, they are sent to the sandbox's own receiver.`}
              button="Route it"
              run={(send) => route(send, did.id)}
              onDone={(id) => add({ trunkId: id })}
            />
          )}
        </Stepper.Step>
        <Stepper.Step label="Call it" description={callId && 'answered after 2 seconds'}>
          {did && (
            <Step
              text="The simulator plays the caller and your equipment; routing and records are the real ones."
              button="Call it"
              run={(send) => call(send, did.number)}
              onDone={(id) => add({ callId: id })}
            />
          )}
        </Stepper.Step>
        <Stepper.Step label="See what happened">{callId && did && <Seen callId={callId} did={did} />}</Stepper.Step>
      </Stepper>
    </Page>
  );
}

interface StepProps<T> {
  text: string;
  button: string;
  run: (send: Send) => Promise<T>;
  onDone: (result: T) => void;
}

function Step<T>({ text, button, run, onDone }: StepProps<T>): ReactNode {
  const work = useAct(run, onDone);
  return (
    <Paper withBorder p="md" maw={560}>
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        <FormError text={work.error?.message} />
        <Group>
          <Button loading={work.isPending} onClick={() => work.mutate()}>
            {button}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** The cheapest offer with a channel, of a group without paperwork. */
async function buy(send: Send): Promise<{ id: string; number: string }> {
  const groups = await get(
    pathWith('/v3/did_groups', {
      'filter[needs_registration]': 'false',
      'filter[is_available]': 'true',
      'filter[area_name]': 'London',
      include: 'stock_keeping_units',
      'page[size]': 5,
    }),
  );
  const offers = groups.data
    .flatMap((group) => relatedMany(groups, group, 'stock_keeping_units'))
    .filter(({ attributes }) => attributes.channels_included_count > 0)
    .sort((a, b) => Number(a.attributes.monthly_price) - Number(b.attributes.monthly_price));
  const [offer] = offers;
  if (offer === undefined) throw new Error('No London number is in stock; buy another one under “Buy numbers”.');
  const items = [{ type: 'did_order_items' as const, attributes: { sku_id: offer.id, qty: 1 } }];
  const order = await send('POST', pathWith('/v3/orders'), { data: { type: 'orders', attributes: { items } } });
  for (;;) {
    const dids = await get(pathWith('/v3/dids', { 'filter[order.id]': order.data.id }));
    const [did] = dids.data;
    if (did !== undefined) return { id: did.id, number: did.attributes.number };
    const { data } = await get(pathWith('/v3/orders/{id}', { id: order.data.id }));
    if (data.attributes.status === 'canceled') throw new Error('The order was cancelled.');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function route(send: Send, didId: string): Promise<string> {
  const attributes: BodyOf<'POST /v3/voice_in_trunks'>['data']['attributes'] = {
    // Names of trunks are unique, and a person may take the tour again with another number.
    name: `First minute ${didId.slice(0, 8)}`,
    configuration: { type: 'sip_configurations', attributes: { host: 'sip.example.com', codec_ids: [9, 10] } },
  };
  const trunk = await send('POST', pathWith('/v3/voice_in_trunks'), {
    data: { type: 'voice_in_trunks', attributes },
  });
  const relationships = { voice_in_trunk: { data: { type: 'voice_in_trunks', id: trunk.data.id } } } as const;
  await send('PATCH', pathWith('/v3/dids/{id}', { id: didId }), { data: { id: didId, type: 'dids', relationships } });
  await haveEventsSent(send);
  return trunk.data.id;
}

/** Events of inbound calls are made only for an account that has them sent somewhere. */
async function haveEventsSent(send: Send): Promise<void> {
  const path = '/panel/v1/call_event_endpoints';
  const stream = 'voice_in_events' as const;
  const { data } = await get(pathWith(path, { 'filter[stream]': stream }));
  if (data.length > 0) return;
  const attributes = { stream, url: window.location.origin + addressOf('/panel/v1/event_receiver') };
  await send('POST', pathWith(path), { data: { type: 'call_event_endpoints', attributes } });
}

async function call(send: Send, number: string): Promise<string> {
  const made = await send('POST', pathWith('/sandbox/v1/calls'), {
    did_number: number,
    src_number: '442079460001',
    script: { outcomes: [{ code: 200, ring_seconds: 2 }], talk_seconds: 30 },
  });
  return made.id;
}

/** What the call left behind: its record, and its events with what became of each. */
function Seen({ callId, did }: { callId: string; did: { id: string; number: string } }) {
  const fallback = useFallback(1_000);
  const read = useRead(pathWith('/panel/v1/calls', { 'filter[call_id]': callId }), fallback);
  const events = useRead(
    pathWith('/panel/v1/call_events', { 'filter[call_id]': callId, sort: 'created_at' }),
    fallback,
  );
  const balance = useRead(pathWith('/v3/balance'));
  const [record] = read.data?.data ?? [];
  return (
    <Alert color="teal" variant="light" role="status" title="It works" maw={720}>
      <Stack gap="xs">
        <Text size="sm">
          The call was answered and lasted {record?.attributes.duration ?? '…'} seconds.{' '}
          {record && (
            <RouteLink to="/calls/$id" params={{ id: record.id }}>
              See every step of it
            </RouteLink>
          )}
        </Text>
        <Table aria-label="Events of the call" verticalSpacing={4} horizontalSpacing={0} withRowBorders={false}>
          <Table.Tbody>
            {events.data?.data.map(({ id, attributes }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Code>{eventType(attributes.body)}</Code>
                </Table.Td>
                <Table.Td ta="right">
                  <StateBadge word={attributes.state} good={isSettled[attributes.state] ?? null} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text size="sm">
          {showNumber(did.number)} is yours:{' '}
          <RouteLink to="/numbers/$id" params={{ id: did.id }}>
            open it
          </RouteLink>
          . Your balance is {balance.data ? showMoney(balance.data.data.attributes.balance) : '…'}.
        </Text>
        <Text size="sm">
          Next: have <RouteLink to="/events">events sent</RouteLink> to your own program, or{' '}
          <RouteLink to="/applications">verify a phone</RouteLink>.
        </Text>
      </Stack>
    </Alert>
  );
}
