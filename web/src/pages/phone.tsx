/** The phone in the browser: which numbers ring here, the call there is, and calling out. */
import { Alert, Badge, Button, Group, Paper, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { digitsSource, numberSource } from '../parts/choices.ts';
import { showNumber } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { FormError, Page } from '../parts/page.tsx';
import { RecordSelect, sourceOf } from '../parts/picker.tsx';
import { CallPanel } from '../phone/call-panel.tsx';
import { callingPhone, ringingPhone, usePhone } from '../phone/phones.ts';
import { findTrunk, makeOutboundTrunk, ringAsBefore, ringHere, trunkNameOf } from '../phone/ring-here.ts';

const lines = { off: 'not connected', connecting: 'connecting …', ready: 'ready' } as const;

export function PhonePage() {
  const ringing = usePhone(ringingPhone);
  const calling = usePhone(callingPhone);
  // A call out has a connection of its own.
  const shown = calling.state.call === null ? lines[ringing.state.line] : 'in a call';
  const isReady = calling.state.call !== null || ringing.state.line === 'ready';
  return (
    <Page
      title="Browser phone"
      about="Calls to your numbers ring in this tab while it is open, and you can call out of it."
      actions={
        <Badge color={isReady ? 'teal' : 'gray'} variant="light" role="status">
          {shown}
        </Badge>
      }
    >
      {!('mediaDevices' in navigator) && (
        <Alert color="yellow" variant="light" title="No microphone">
          Browsers give their microphone only to pages over HTTPS, or on this machine under the name localhost or
          127.0.0.1.
        </Alert>
      )}
      {ringing.phone && <CallPanel phone={ringing.phone} state={ringing.state} />}
      {calling.phone && <CallPanel phone={calling.phone} state={calling.state} />}
      <RingHere />
      <CallOut />
    </Page>
  );
}

const anyNumber = numberSource();

function RingHere() {
  const { data: session } = useSession();
  const name = trunkNameOf(session?.login ?? '');
  const [didId, setDidId] = useState<string | null>(null);
  const { state } = usePhone(ringingPhone);
  const trunks = useRead(pathWith('/v3/voice_in_trunks', { 'filter[name]': name }));
  const trunkId = trunks.data?.data.find(({ attributes }) => attributes.name === name)?.id;
  const here = useRead(
    trunkId === undefined ? null : pathWith('/v3/dids', { 'filter[voice_in_trunk.id]': trunkId, sort: 'number' }),
  );
  const connect = useAct<void, string | null>(async (send, wanted) => {
    await askForMicrophone();
    const id = wanted === null ? await findTrunk(name) : await ringHere(send, wanted, name);
    if (id === null) throw new Error('Choose a number first.');
    await ringingPhone.start(() =>
      send('POST', pathWith('/panel/v1/phone_credentials'), { type: 'voice_in_trunks', id }),
    );
  });
  const putBack = useAct<void, string>((send, did) => ringAsBefore(send, did));
  const numbers = here.data?.data ?? [];
  return (
    <Paper withBorder p="md" maw={720} component="section" aria-labelledby="ring-here">
      <Stack gap="sm">
        <Title order={2} size="h4" id="ring-here">
          Ring here
        </Title>
        <Text size="sm">
          The number is routed to the inbound trunk “{name}”, which is added if you have none. Your browsers register to
          it, and ring together. Where the number rang before is kept in this browser, for <i>Ring as before</i>.
        </Text>
        <Group align="flex-end">
          <RecordSelect label="Number" source={anyNumber} value={didId} onChange={setDidId} w={300} />
          <Button disabled={didId === null} loading={connect.isPending} onClick={() => connect.mutate(didId)}>
            Ring here
          </Button>
        </Group>
        <FormError text={(connect.error ?? putBack.error)?.message} />
        {numbers.length > 0 && (
          <Table aria-label="Numbers that ring here" verticalSpacing={4}>
            <Table.Tbody>
              {numbers.map(({ id, attributes }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    <RouteLink to="/numbers/$id" params={{ id }}>
                      {showNumber(attributes.number)}
                    </RouteLink>
                  </Table.Td>
                  <Table.Td ta="right">
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-label={`Ring as before: ${showNumber(attributes.number)}`}
                      onClick={() => putBack.mutate(id)}
                    >
                      Ring as before
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {numbers.length > 0 && (
          <Group>
            {state.line === 'off' ? (
              <Button variant="default" loading={connect.isPending} onClick={() => connect.mutate(null)}>
                Connect this browser
              </Button>
            ) : (
              <Button variant="default" onClick={() => ringingPhone.stop()}>
                Disconnect
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

/** Asked for before anybody calls: a question of the browser would come between the caller and the answer. */
async function askForMicrophone(): Promise<void> {
  if (!('mediaDevices' in navigator)) throw new Error('This browser gives no microphone to this page.');
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => {
    throw new Error('Allow the microphone for this page, in the browser’s address bar, and try again.');
  });
  for (const track of stream.getTracks()) track.stop();
}

const outboundTrunks = sourceOf('/v3/voice_out_trunks', {
  sort: 'name',
  label: ({ name }) => name,
  find: { parameters: (text) => ({ 'filter[name]': text }) },
});
const callerNumbers = digitsSource();

function CallOut() {
  const { data: session } = useSession();
  const [trunkId, setTrunkId] = useState<string | null>(null);
  const [from, setFrom] = useState<string | null>(null);
  const [to, setTo] = useState('');
  const { state } = usePhone(callingPhone);
  const trunks = useRead(pathWith('/v3/voice_out_trunks', { 'page[size]': 1, sort: 'name' }));
  const name = trunkNameOf(session?.login ?? '');
  const named = useRead(pathWith('/v3/voice_out_trunks', { 'filter[name]': name, 'page[size]': 50 }));
  const own = named.data?.data.find(({ attributes }) => attributes.name === name);
  const chosen = trunkId ?? own?.id ?? trunks.data?.data[0]?.id ?? null;
  const digits = to.replace(/[^\d]/g, '');
  const add = useAct((send) => makeOutboundTrunk(send, name), setTrunkId);
  const call = useAct(async (send) => {
    if (chosen === null || from === null) throw new Error('Choose the trunk and the number that calls.');
    await askForMicrophone();
    const phone = await callingPhone.start(() =>
      send('POST', pathWith('/panel/v1/phone_credentials'), { type: 'voice_out_trunks', id: chosen }),
    );
    phone.call(digits, from);
  });
  return (
    <Paper withBorder p="md" maw={720} component="section" aria-labelledby="call-out">
      <Stack gap="sm">
        <Title order={2} size="h4" id="call-out">
          Call out
        </Title>
        <Text size="sm">
          The call goes through one of your outbound trunks, with its rules and at the usual price, as if your own
          equipment had made it.
        </Text>
        {named.data && own === undefined && (
          <Group>
            <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
              Add a trunk for this browser
            </Button>
            <FormError text={add.error?.message} />
          </Group>
        )}
        <Group align="flex-end">
          <RecordSelect label="Outbound trunk" source={outboundTrunks} value={chosen} onChange={setTrunkId} w={220} />
          <RecordSelect label="Calls as" source={callerNumbers} value={from} onChange={setFrom} w={220} />
          <TextInput
            label="Number to call"
            placeholder="+44 20 7946 0001"
            value={to}
            onChange={({ currentTarget }) => setTo(currentTarget.value)}
            w={200}
          />
          <Button
            disabled={digits === '' || from === null || state.call !== null}
            loading={call.isPending}
            onClick={() => call.mutate()}
          >
            Call
          </Button>
        </Group>
        <FormError text={call.error?.message} />
      </Stack>
    </Paper>
  );
}
