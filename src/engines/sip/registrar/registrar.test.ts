/** Registrations: added, refreshed, expired, removed. */
import { beforeEach, expect, test } from 'vitest';
import { responseTo } from '../message/build.ts';
import type { SipResponse } from '../message/message.ts';
import { SipRequest } from '../message/message.ts';
import { SeededIds } from '../simulation/seeded-ids.fixture.ts';
import { SeededRandom } from '../simulation/seeded-random.fixture.ts';
import { SimulatedNetwork } from '../simulation/simulated-network.fixture.ts';
import { SimulatedTimers } from '../simulation/simulated-timers.fixture.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import { UserAgent } from '../user-agent.ts';
import { MemoryBindings } from './memory-bindings.fixture.ts';
import { Registrar } from './registrar.ts';

let timers: SimulatedTimers;
let registrar: Registrar;
let client: UserAgent;
let sequence: number;
let served: ServerTransaction[];

beforeEach(() => {
  timers = new SimulatedTimers();
  const network = new SimulatedNetwork(timers, new SeededRandom(1));
  registrar = new Registrar({ store: new MemoryBindings(), now: () => timers.now() });
  sequence = 0;
  served = [];
  const agent = (address: string) => {
    const random = new SeededRandom(2);
    const made = new UserAgent(
      { timers, ids: new SeededIds(random), random: () => random.next() },
      { call: (call) => call.reject(480), request: (transaction) => void served.push(transaction) },
    );
    made.transport.attach(network.listen('UDP', address, 5060, made.transport.received), { host: address });
    return made;
  };
  client = agent('192.0.2.1');
  agent('192.0.2.2');
});

/** Sends a REGISTER over the simulated network and returns the response. */
async function register(
  headers: Record<string, string>,
  changes: { sequence?: number; callId?: string } = {},
): Promise<SipResponse> {
  const request = new SipRequest('REGISTER', 'sip:192.0.2.2');
  request.headers.add('From', '<sip:trunk@192.0.2.2>;tag=1');
  request.headers.add('To', '<sip:trunk@192.0.2.2>');
  request.headers.add('Call-ID', changes.callId ?? 'reg');
  request.headers.add('CSeq', `${changes.sequence ?? ++sequence} REGISTER`);
  for (const [name, value] of Object.entries(headers)) request.headers.add(name, value);
  const responses: SipResponse[] = [];
  client.transactions.send(
    request,
    { transport: 'UDP', address: '192.0.2.2', port: 5060 },
    { response: (response) => responses.push(response), failed: () => undefined },
  );
  timers.advance(5);
  await registrar.register(served.pop() ?? expect.unreachable(), 'trunk');
  timers.advance(5);
  return responses[0] ?? responseTo(request, 699);
}

test('a contact is added, listed with the time it has left, refreshed and removed', async () => {
  const added = await register({ Contact: '<sip:a@192.0.2.1>', Expires: '600' });
  expect([added.status, added.headers.all('Contact')]).toEqual([200, ['<sip:a@192.0.2.1>;expires=600']]);
  timers.advance(100_000);
  expect((await register({})).headers.first('Contact')).toMatch(/;expires=500$/);
  await register({ Contact: '<sip:a@192.0.2.1>;expires=900' });
  expect(await registrar.contacts('trunk')).toMatchObject([
    { uri: 'sip:a@192.0.2.1', source: { address: '192.0.2.1', port: 5060 } },
  ]);
  expect((await register({ Contact: '<sip:%61@192.0.2.1>', Expires: '0' })).headers.has('Contact')).toBe(false);
});

test('contacts expire, and the best comes first', async () => {
  await register({ Contact: '<sip:a@192.0.2.1>;q=0.2;expires=60, <sip:b@192.0.2.1>;q=0.8;expires=120' });
  expect((await registrar.contacts('trunk')).map(({ uri }) => uri)).toEqual(['sip:b@192.0.2.1', 'sip:a@192.0.2.1']);
  timers.advance(61_000);
  expect((await registrar.contacts('trunk')).map(({ uri }) => uri)).toEqual(['sip:b@192.0.2.1']);
});

test('* removes all, and only with Expires: 0', async () => {
  await register({ Contact: '<sip:a@192.0.2.1>, <sip:b@192.0.2.1>' });
  expect((await register({ Contact: '*', Expires: '60' })).status).toBe(400);
  expect(await registrar.contacts('trunk')).toHaveLength(2);
  expect((await register({ Contact: '*', Expires: '0' })).status).toBe(200);
  expect(await registrar.contacts('trunk')).toEqual([]);
});

test('too short is 423 with Min-Expires, too long is cut, malformed is the usual time', async () => {
  const short = await register({ Contact: '<sip:a@192.0.2.1>', Expires: '5' });
  expect([short.status, short.headers.first('Min-Expires')]).toEqual([423, '60']);
  expect((await register({ Contact: '<sip:a@192.0.2.1>', Expires: '99999999' })).headers.first('Contact')).toMatch(
    /=86400$/,
  );
  expect((await register({ Contact: '<sip:b@192.0.2.1>;expires=soon' })).headers.all('Contact').at(-1)).toMatch(
    /=3600$/,
  );
});

test('an old request of the same registration changes nothing; a restarted phone with another Call-ID does', async () => {
  await register({ Contact: '<sip:a@192.0.2.1>' }, { sequence: 50 });
  expect((await register({ Contact: '<sip:a@192.0.2.1>;expires=0' }, { sequence: 49 })).status).toBe(500);
  expect(await registrar.contacts('trunk')).toHaveLength(1);
  expect((await register({ Contact: '<sip:a@192.0.2.1>;expires=0' }, { sequence: 1, callId: 'new' })).status).toBe(200);
  expect(await registrar.contacts('trunk')).toEqual([]);
});

test('a contact that nothing can be sent to, and too many of them, are refused', async () => {
  expect((await register({ Contact: '<mailto:a@x>' })).status).toBe(416);
  const many = Array.from({ length: 11 }, (_, index) => `<sip:${index}@192.0.2.1>`).join(', ');
  expect((await register({ Contact: many })).status).toBe(403);
  expect(await registrar.contacts('trunk')).toEqual([]);
});
