/** Test calls through a carrier: asked for over HTTP, placed by SIP to a phone in place of the carrier. */
import { expect, test } from 'vitest';
import { openEndpoint, useClosing } from '../../../../test/support/calling.ts';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { openPhone, type PhoneWishes } from '../../../../test/support/phones.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { changeSettings } from '../../verification/settings.ts';
import { byBootstrap } from '../act.ts';
import { addCarrier } from './carriers.writes.ts';

const server = useOpened(() => startTestServer({ name: 'production' }));
useOpened(() => openEndpoint(server.env));
const operator = useMade(() => addOperator(server, 'support'));
const closing = useClosing();

const number = '4915112345678';
let carriers = 0;

/** A carrier that is a phone. */
async function carrierOf(wishes: PhoneWishes) {
  const opened = await openPhone(wishes);
  closing(opened.phone);
  const { address: host, port } = opened.target;
  const id = await addCarrier(byBootstrap(server.env), { name: `carrier ${++carriers}`, host, port, enabled: false });
  return { ...opened, id };
}

const request = (carrier: string, destination = number) =>
  operator.client.request('POST', '/peer_tests', {
    data: {
      ...{ type: 'peer_tests', attributes: { destination } },
      relationships: { carrier: { data: { type: 'carriers', id: carrier } } },
    },
  });
const resultOf = async (id: string) => (await operator.client.get(`/peer_tests/${id}`)).resource.attributes;

async function tested(carrier: string) {
  // So that the limit of calls a minute is not reached.
  await advanceClock(server.env, 61);
  const { resource } = await request(carrier);
  await runDueJobs(server.env);
  return resultOf(resource.id);
}

test('a call is hung up as soon as it is answered, and its ringing and final code are told', async () => {
  await changeSettings(server.env, { callerNumber: '4930100' });
  const phone = await carrierOf({ answerAfterMs: 300 });
  const result = await tested(phone.id);
  expect(result).toMatchObject({
    ...{ kind: 'call', status: 'passed', answered: true, sip_code: 200, result: '200 answered and hung up' },
    ...{ destination: number, peer: `carrier ${carriers}` },
  });
  expect(result.ring_milliseconds).toBeGreaterThanOrEqual(200);
  expect(await phone.until('incoming')).toMatchObject({ from: 'sip:+4930100@127.0.0.1' });
  expect(await phone.until('ended')).toMatchObject({ cause: 'remote' });
  const audit = await operator.client.get('/audit_entries?filter[action]=peer_test.requested');
  expect(audit.resources[0]?.attributes).toMatchObject({
    actor: operator.email,
    after: { carrier: `carrier ${carriers}`, call: true },
  });
  expect(JSON.stringify(audit.resources)).not.toContain(number);
});

test('a refusal, and a carrier that is not there, are told with the code', async () => {
  const busy = await carrierOf({ reject: 486 });
  expect(await tested(busy.id)).toMatchObject({
    status: 'failed',
    answered: false,
    sip_code: 486,
    ring_milliseconds: null,
  });
  const gone = await addCarrier(byBootstrap(server.env), {
    name: 'gone',
    host: '127.0.0.1',
    port: 9,
    transport: 'tcp',
  });
  expect(await tested(gone)).toMatchObject({ status: 'failed', answered: false, sip_code: 503 });
  const only = await addCarrier(byBootstrap(server.env), { name: 'only sends' });
  expect((await request(only)).errors[0]?.detail).toContain('has no host');
});

test('calls are limited: one at a time through a carrier, six a minute, no short numbers', async () => {
  await advanceClock(server.env, 61);
  const phone = await carrierOf({ reject: 486 });
  expect((await request(phone.id, '112')).status).toBe(422);
  expect((await request(phone.id)).status).toBe(201);
  expect((await request(phone.id)).errors[0]?.detail).toContain('is under way');
  for (let n = 0; n < 5; n++) expect((await request((await carrierOf({ reject: 486 })).id)).status).toBe(201);
  expect((await request((await carrierOf({ reject: 486 })).id)).errors[0]?.detail).toContain('at most 6');
  await runDueJobs(server.env);
});

test('a call whose process was killed is not placed again, and one that nobody placed ends by itself', async () => {
  await advanceClock(server.env, 61);
  const phone = await carrierOf({});
  const { resource } = await request(phone.id);
  await server.env.db.updateTable('peer_tests').set({ result: 'calling' }).where('id', '=', resource.id).execute();
  await runDueJobs(server.env);
  expect(await resultOf(resource.id)).toMatchObject({
    status: 'failed',
    result: expect.stringContaining('was killed'),
  });
  expect(phone.events.map(({ event }) => event)).toEqual(['ready']);
  await advanceClock(server.env, 61);
  const waiting = await request(phone.id);
  await server.env.pool.query(`delete from jobs where task = 'operator.test_call'`);
  await advanceClock(server.env, 91);
  expect(await resultOf(waiting.resource.id)).toMatchObject({
    status: 'failed',
    result: 'no process with SIP has asked it',
  });
});
