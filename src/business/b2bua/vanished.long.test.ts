/** Peers that can be reached only where their packets come from, peers that vanish, and processes that are killed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { addressPolicy } from '../../engines/outbound/address-policy.ts';
import { machineTimers } from '../../engines/sip/timers.ts';
import { endCallsOf } from '../voice/worker-lease.ts';
import { dialPolicy } from './dial-policy.ts';
import { SipEndpoint } from './endpoint.ts';
import { hangUpForsaken } from './forsaken-legs.ts';
import { createWorld, type World } from './world.fixture.ts';

let world: World;
let passedMs = 0;
/** Timers of 25 s and more run out when a test says so. */
const held: { ms: number; runOut: () => void }[] = [];
beforeAll(async () => {
  world = await createWorld({
    timers: {
      now: () => passedMs,
      after: (ms, action, argument) => {
        if (ms < 25_000) return machineTimers.after(ms, action, argument);
        const timer = { ms, runOut: () => action(argument) };
        held.push(timer);
        return { close: () => held.splice(held.indexOf(timer), held.includes(timer) ? 1 : 0) };
      },
    },
  });
});
afterAll(() => world.close());

const runOut = (ms: number) => {
  for (const timer of held.filter((one) => one.ms === ms)) {
    held.splice(held.indexOf(timer), 1);
    timer.runOut();
  }
};

test('requests within a call reach a caller and a trunk behind NAT, which are asked often enough to stay reachable', async () => {
  const [caller, trunk] = [
    await world.phone({ hiddenAt: '10.99.0.5' }),
    await world.phone({ hiddenAt: '192.168.9.9' }),
  ];
  const { number } = await world.number([trunk.port]);
  caller.dial(number);
  await expect.poll(() => trunk.events).toEqual(['ack']);
  expect(held.filter(({ ms }) => ms === 25_000)).toHaveLength(2);
  trunk.sessions[0]?.reinvite({}, (response) => response && trunk.sessions[0]?.acknowledge(response));
  await expect.poll(() => caller.events).toContain('INVITE');
  caller.sessions[0]?.hangUp();
  await expect.poll(() => trunk.events.at(-1)).toBe('ended remote');

  caller.dial(number);
  await expect.poll(() => trunk.sessions).toHaveLength(2);
  await expect.poll(() => caller.sessions).toHaveLength(2);
  trunk.sessions[1]?.hangUp();
  await expect.poll(() => caller.events.at(-1)).toBe('ended remote');
});

test('a call whose ends have vanished is charged until they were last heard', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port]);
  passedMs = 0;
  caller.dial(number);
  await expect.poll(() => trunk.events).toEqual(['ack']);
  // Their answers to OPTIONS are the last sign of life.
  let answers = 0;
  const isAnswer = /^SIP\/2\.0 200.*\r\nCSeq: \d+ OPTIONS/is;
  world.endpoint.taps.add({
    message: ({ bytes }) => {
      if (isAnswer.test(String(bytes))) answers += 1;
    },
  });
  passedMs = 60_000;
  runOut(60_000);
  await expect.poll(() => answers).toBe(2);
  passedMs = 600_000;
  await Promise.all([caller.close(), trunk.close()]);
  runOut(60_000);
  runOut(32_000);
  await expect.poll(() => world.cdrs(number)).toMatchObject([{ duration: 60, disconnect_code: 408 }]);
});

test('the legs of a killed process get BYE from the next one, and the trace says so', async () => {
  const [caller, trunk] = [await world.phone({ hiddenAt: '10.99.0.5' }), await world.phone()];
  const { number, accountId } = await world.number([trunk.port]);
  caller.dial(number);
  await expect.poll(() => trunk.events).toEqual(['ack']);
  const { env } = world.world;
  await env.pool.query(`update open_calls set worker_id = gen_random_uuid() where account_id = $1`, [accountId]);
  const { rows } = await env.pool.query('select worker_id, id from open_calls where account_id = $1', [accountId]);
  const traced = () => env.pool.query('select from call_traces where call_id = $1', [rows[0].id]);
  await expect.poll(async () => (await traced()).rowCount).toBe(1);
  await world.endpoint.stop();
  const policy = dialPolicy('sandbox', addressPolicy({ allowEverything: true, allowedRanges: [] }));
  const forgotten: string[] = [];
  const media: MediaEngine = {
    ...{ name: 'rtpengine', transcoding: null, open: () => expect.unreachable('it carries no call') },
    state: () => ({ calls: 0, ports: null, parts: [] }),
    stop: async () => undefined,
    forget: (ids) => forgotten.push(...ids),
  };
  const next = new SipEndpoint(env, { policy, callsPerSecond: 100, media });
  const config = { hosts: ['127.0.0.1'], advertised: [], certificateFile: null, keyFile: null, authoritiesFile: null };
  await next.listen({ ...config, callsPerSecond: 100, edges: [] }, { port: 0, isChosen: true, tlsPort: null });
  try {
    await hangUpForsaken(next, await endCallsOf(env, rows[0].worker_id, env.clock.now()));
    expect([caller.events.at(-1), trunk.events.at(-1)]).toEqual(['ended remote', 'ended remote']);
    expect(trunk.requests.at(-1)?.headers.first('Reason')).toContain('Server Internal Error');
    const parts = await env.pool.query('select entries from call_trace_parts where call_id = $1', [rows[0].id]);
    expect(JSON.stringify(parts.rows)).toContain('after the loss of its process');
    expect(forgotten).toEqual([rows[0].id]);
  } finally {
    await next.stop();
  }
});
