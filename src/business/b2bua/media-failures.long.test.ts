/** Calls whose media fail: no port is left, the engine dies. Each says why, to the caller and to the operator. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startRtpengine } from '../../../test/support/edge.ts';
import { EmbeddedEngine } from '../../engines/media/embedded/embedded-engine.ts';
import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { rtpengine } from '../../engines/media/rtpengine/rtpengine.ts';
import { SimulatedTimers } from '../../engines/sip/simulation/simulated-timers.fixture.ts';
import { machineTimers } from '../../engines/sip/timers.ts';
import { readTrace } from '../voice/trace/read-traces.ts';
import { callingOut } from './calling-out.fixture.ts';
import { createWorld, type Phone, type World } from './world.fixture.ts';

const portsOfCall = 4;

async function openWorld(media: MediaEngine): Promise<World> {
  const world = await createWorld({ media });
  onTestFinished(() => world.close());
  return world;
}

/** The first of so many ports in a row that nobody has. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = 2 * Math.floor(5_000 + Math.random() * 4_000);
    if (await areFree(first, count)) return first;
  }
}

async function areFree(first: number, count: number): Promise<boolean> {
  const sockets = Array.from({ length: count }, () => createSocket('udp4'));
  const bound = sockets.map(async (socket, at) => {
    const listening = once(socket, 'listening');
    socket.bind(first + at, '127.0.0.1');
    await listening;
  });
  const results = await Promise.allSettled(bound);
  for (const socket of sockets) socket.close();
  return results.every(({ status }) => status === 'fulfilled');
}

/** An engine with ports for so many calls, whose time the test moves. */
async function smallEngine(calls: number) {
  const first = await freePorts(portsOfCall * calls);
  const timers = new SimulatedTimers();
  const ports = { from: first, to: first + portsOfCall * calls - 1 };
  const log = (problem: string) => expect.unreachable(problem);
  const engine = new EmbeddedEngine({ ports, addresses: ['127.0.0.1'], threads: 1, timers, log });
  const isFree = () => areFree(first, portsOfCall * calls);
  /** All ports were given back; some seconds later they may be taken again. */
  const rested = async () => {
    await expect.poll(() => engine.state().calls).toBe(0);
    timers.advance(10_000);
    await expect.poll(() => engine.state().ports?.free).toBe(portsOfCall * calls);
  };
  return { engine, isFree, rested };
}

const hasTraced = async ({ world }: World, callId: unknown, text: string): Promise<boolean> => {
  const trace = await readTrace(world.env, String(callId));
  return trace?.entries.some((entry) => entry.kind === 'reason' && entry.text.includes(text)) ?? false;
};

const lastOf = ({ responses }: Phone, header: string): string | undefined => responses.at(-1)?.headers.first(header);

test('a call that finds no port free is 503 with its reason: to the caller, in CDR, trace and log', async () => {
  const { engine, rested } = await smallEngine(1);
  const world = await openWorld(engine);
  const log = vi.spyOn(world.world.env.log, 'warn');
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number, accountId } = await world.number([trunk.port], { rerouting_disconnect_code_ids: [] });
  await world.world.env.pool.query('update dids set channels_included_count = 9 where number = $1', [number]);
  caller.dial(number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(engine.state().ports).toEqual({ all: 4, free: 0 });

  const second = await world.phone();
  second.dial(number);
  await expect.poll(() => second.events).toContain('failed 503');
  expect(lastOf(second, 'Retry-After')).toMatch(/^\d+$/);
  expect(lastOf(second, 'Reason')).toContain('All media ports are in use');
  expect(trunk.invites).toHaveLength(1);
  await expect.poll(() => world.cdrs(number)).toMatchObject([{ success: false, disconnect_code: 503 }]);
  const [cdr] = await world.cdrs(number);
  await expect.poll(() => hasTraced(world, cdr?.call_id, 'media: All media ports are in use.')).toBe(true);
  expect(world.endpoint.mediaRefusals.counts).toEqual({ unavailable: 1, description: 0 });
  expect(log.mock.calls).toContainEqual([
    { reason: 'All media ports are in use.', calls: 1 },
    'calls are refused with 503, as they cannot have media',
  ]);
  // The call that has its ports is not touched.
  expect(caller.events).not.toContain('ended remote');
  caller.sessions[0]?.hangUp();
  await rested();
  second.dial(number);
  await expect.poll(() => second.events).toContain('answered');
  second.sessions[0]?.hangUp();
  await expect.poll(async () => (await world.eventsByCall(accountId)).length).toBe(3);
});

test('ports close after each call: answered, refused, cancelled, and with phones that rang in vain', async () => {
  const { engine, isFree, rested } = await smallEngine(2);
  const world = await openWorld(engine);
  const [caller, trunk, busy] = [await world.phone(), await world.phone(), await world.phone()];
  busy.onCall = (call) => call.reject(486);
  const answered = await world.number([trunk.port]);
  caller.dial(answered.number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(await isFree()).toBe(false);
  trunk.sessions[0]?.hangUp();
  await rested();
  expect(await isFree()).toBe(true);

  caller.dial((await world.number([busy.port], { rerouting_disconnect_code_ids: [] })).number);
  await expect.poll(() => caller.events).toContain('failed 486');
  await rested();
  expect(await isFree()).toBe(true);

  trunk.onCall = (call) => call.progress(180);
  const ringing = caller.dial((await world.number([trunk.port])).number);
  await expect.poll(() => caller.events.filter((event) => event === '180')).toHaveLength(2);
  ringing.cancel();
  await expect.poll(() => caller.events).toContain('failed 487');
  await rested();
  expect(await isFree()).toBe(true);
});

test('kill -9 of rtpengine ends its calls with their cause; until one answers again new calls are 503', async () => {
  const program = await startRtpengine();
  const engine = await rtpengine({ hosts: [{ host: '127.0.0.1', port: program.port }], timers: machineTimers });
  const world = await openWorld(engine);
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number, accountId } = await world.number([trunk.port]);
  caller.dial(number);
  const out = await callingOut(world);
  out.call();
  for (const phone of [caller, out.customer]) await expect.poll(() => phone.events).toContain('answered');
  await program.kill();
  for (const phone of [caller, trunk, out.customer, out.carrier]) {
    await expect.poll(() => phone.events).toContain('ended remote');
    expect(phone.requests.at(-1)?.headers.first('Reason')).toBe('SIP;cause=503;text="The media engine has failed"');
  }
  const failed = { disconnect_code: 503, disconnect_initiator: 'Switch' };
  await expect.poll(() => world.cdrs(number)).toMatchObject([failed]);
  await expect.poll(() => world.cdrsOut(out.accountId)).toMatchObject([{ disconnect_code: 503 }]);
  const [cdr] = await world.cdrs(number);
  const reason = `the media engine has failed: rtpengine 127.0.0.1:${program.port} does not run`;
  await expect.poll(() => hasTraced(world, cdr?.call_id, reason)).toBe(true);
  await expect.poll(() => world.eventsByCall(accountId)).toEqual(['in: start connect end']);

  const later = await world.phone();
  later.dial(number);
  await expect.poll(() => later.events).toContain('failed 503');
  expect(lastOf(later, 'Retry-After')).toMatch(/^\d+$/);
  expect(lastOf(later, 'Reason')).toContain(`rtpengine 127.0.0.1:${program.port} does not run`);
  const again = await startRtpengine(program.port);
  onTestFinished(() => again.stop());
  await expect.poll(() => engine.state().parts[0]?.isUp).toBe(true);
  later.dial(number);
  await expect.poll(() => later.events).toContain('answered');
});

test('a call whose media cannot be opened for a reason that nobody expected is 500, and ends everywhere', async () => {
  const { engine } = await smallEngine(1);
  const open = vi.spyOn(engine, 'open').mockImplementation(() => {
    throw new Error('broken');
  });
  const world = await openWorld(engine);
  const logged = vi.spyOn(world.world.env.log, 'error').mockReturnValue(undefined);
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number, accountId } = await world.number([trunk.port]);
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['failed 500']);
  await expect.poll(() => world.cdrs(number)).toMatchObject([{ success: false, disconnect_code: 500 }]);
  expect(await world.eventsByCall(accountId)).toEqual(['in: start end']);
  expect(logged.mock.calls.map(([, words]) => words)).toEqual(['a call could not be carried on']);
  expect(trunk.invites).toEqual([]);
  expect(open).toHaveBeenCalledOnce();
});
