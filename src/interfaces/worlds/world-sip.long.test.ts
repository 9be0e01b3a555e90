/** Worlds with SIP of their own: real phones call the port of a world, and reach that world alone. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { usePhones } from '../../../test/support/phones.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { type MadeWorld, WorldClient } from '../../../test/support/world-client.ts';

const server = useOpened(() => startTestServer({ worlds: { TRUNKLINE_WORLDS_SIP: '4' } }));
const openPhone = usePhones();

const ask = (method: string, path: string, body?: object) =>
  checkedFetch(`${server.url}/sandbox/v1${path}`, {
    method,
    headers: { 'api-key': server.key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function make(body: object = { sip: true }): Promise<WorldClient> {
  const response = await ask('POST', '/worlds', { from: 'empty', ...body });
  const text = await response.text();
  expect(response.status, text).toBe(201);
  return new WorldClient(JSON.parse(text) as MadeWorld);
}

const number = '442079460017';

/** The same number in every world, whose calls go to a phone on this port. */
async function routeNumberTo(world: WorldClient, port: number): Promise<void> {
  const numbers = [{ country: 'GB', prefix: '20', number }];
  const seeded = await world.control<{ accounts: { numbers: { id: string }[] }[] }>('POST', '/seed', {
    accounts: [{ numbers }],
  });
  const id = seeded.accounts[0]?.numbers[0]?.id;
  const configuration = {
    type: 'sip_configurations',
    attributes: { host: '127.0.0.1', port, username: '{DID}', codec_ids: [9, 10] },
  };
  const attributes = { name: 'phone', configuration };
  const { data } = await world.v3<{ data: { id: string } }>('POST', '/voice_in_trunks', {
    type: 'voice_in_trunks',
    attributes,
  });
  const voice_in_trunk = { data: { type: 'voice_in_trunks', id: data.id } };
  await world.v3('PATCH', `/dids/${id}`, { type: 'dids', id, relationships: { voice_in_trunk } });
}

const callsOf = async (world: WorldClient) =>
  (await world.control<{ calls: { did_number: string; disconnect_code: number }[] }>('GET', '/calls')).calls;

async function callThrough(world: WorldClient): Promise<void> {
  const { port = 0 } = world.made.sip ?? {};
  const caller = await openPhone({ server: { transport: 'UDP', address: '127.0.0.1', port }, hangUpAfterMs: 100 });
  await caller.phone.call(number);
  await caller.until('ended');
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

test('a call to the port of a world is a call of that world only, also after a snapshot and a reset', {
  timeout: 180_000,
}, async () => {
  const [one, two, without] = [await make(), await make(), await make({})];
  expect(without.made).not.toHaveProperty('sip');
  expect(one.made.sip).toEqual({ host: '127.0.0.1', port: expect.any(Number) });
  expect(one.made.sip?.port).not.toBe(two.made.sip?.port);
  const [called, otherCalled] = [await openPhone(), await openPhone()];
  await routeNumberTo(one, called.target.port);
  await routeNumberTo(two, otherCalled.target.port);

  await callThrough(one);
  await called.until('ended');
  await expect.poll(async () => (await callsOf(one)).map(({ disconnect_code }) => disconnect_code)).toEqual([200]);
  expect([await callsOf(two), await callsOf(without)]).toEqual([[], []]);
  expect(otherCalled.events.filter(({ event }) => event === 'incoming')).toEqual([]);

  // One account may have half of them.
  const refused = await ask('POST', '/worlds', { from: 'empty', sip: true });
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { error: 'This account has 2 worlds with SIP, the most it may have; end one first.' },
  ]);

  expect((await ask('POST', '/snapshots', { name: 'called', world: one.made.id })).status).toBe(201);
  await callThrough(one);
  await expect.poll(async () => (await callsOf(one)).length).toBe(2);
  const reset = await ask('POST', `/worlds/${one.made.id}/reset`, {});
  expect(await reset.json()).toMatchObject({ sip: one.made.sip });
  await routeNumberTo(one, called.target.port);
  await callThrough(one);
  await expect.poll(async () => (await callsOf(one)).length).toBe(1);

  const port = one.made.sip?.port ?? 0;
  expect(await accepts(port)).toBe(true);
  expect((await ask('DELETE', `/worlds/${one.made.id}`)).status).toBe(204);
  // The request ends the world; its port closes in the background.
  await expect.poll(() => accepts(port)).toBe(false);
  const listed: unknown = await (await ask('GET', '/worlds')).json();
  expect(listed).toMatchObject({ worlds: [{ sip: two.made.sip }, { sip: null }] });
});
