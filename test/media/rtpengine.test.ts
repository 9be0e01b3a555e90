/** rtpengine on several hosts: which of them takes a call, and what becomes of the calls of one that dies. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { type MediaCall, type MediaEngine, MediaUnavailable } from '../../src/engines/media/media-engine.ts';
import { rtpengine } from '../../src/engines/media/rtpengine/rtpengine.ts';
import { machineTimers } from '../../src/engines/sip/timers.ts';
import { freePort } from '../support/datagrams.ts';
import { startRtpengine } from '../support/edge.ts';
import { agree, openParty, type Party, plainLeg } from './parties.ts';

const opened: { stop(): Promise<void> }[] = [];
const parties: Party[] = [];
afterEach(async () => {
  await Promise.all(parties.splice(0).map((party) => party.leave()));
  for (const one of opened.splice(0).reverse()) await one.stop();
});

async function start(port?: number) {
  const program = await startRtpengine(port);
  opened.push(program);
  return program;
}

async function engineOf(...ports: number[]): Promise<MediaEngine> {
  const engine = await rtpengine({ hosts: ports.map((port) => ({ host: '127.0.0.1', port })), timers: machineTimers });
  opened.push(engine);
  return engine;
}

interface Talk {
  id: string;
  call: MediaCall;
  died: string[];
}

/** A call of two parties that have agreed, after so many phones have rung in vain. */
async function talk(engine: MediaEngine, inVain = 0): Promise<Talk> {
  const died: string[] = [];
  const id = randomUUID();
  const call = engine.open(id, {
    silent: () => undefined,
    keyPress: () => undefined,
    died: (reason) => died.push(reason),
  });
  const [ann, bob] = [await openParty(), await openParty()];
  parties.push(ann, bob);
  const caller = call.leg('ann', plainLeg);
  for (let count = 0; count < inVain; count++) {
    const busy = call.leg('busy', plainLeg);
    await call.offer(caller, busy, ann.audio.offer().body);
    call.drop(busy);
  }
  await agree(call, { leg: caller, party: ann }, { leg: call.leg('bob', plainLeg), party: bob });
  return { id, call, died };
}

const callsOf = (engine: MediaEngine): number[] => engine.state().parts.map(({ calls }) => calls);

test('calls are spread over the hosts; those of a killed one end, and the other one takes all new ones', async () => {
  const [first, second] = [await start(), await start()];
  const engine = await engineOf(first.port, second.port);
  const [one, other] = [await talk(engine), await talk(engine)];
  expect(callsOf(engine)).toEqual([1, 1]);
  await first.kill();
  const reason = `rtpengine 127.0.0.1:${first.port} does not run`;
  await expect.poll(() => [...one.died, ...other.died], { timeout: 60_000 }).toEqual([reason]);
  const [lost, kept] = one.died.length > 0 ? [one, other] : [other, one];
  await lost.call.close();
  const later = [await talk(engine), await talk(engine)];
  expect(engine.state().parts).toMatchObject([
    { isUp: false, calls: 0, problem: 'does not run' },
    { isUp: true, calls: 3, problem: null },
  ]);
  expect([kept, ...later].flatMap(({ died }) => died)).toEqual([]);
});

test('a host that dies before it has answered costs no call', async () => {
  const [first, second] = [await start(), await start()];
  const engine = await engineOf(first.port, second.port);
  await first.kill();
  // Whichever of them is asked first, as long as nobody has noticed.
  const talks = [await talk(engine), await talk(engine)];
  expect(callsOf(engine)).toEqual([0, 2]);
  expect(talks.flatMap(({ died }) => died)).toEqual([]);
});

test('a host that was started again has lost its calls', async () => {
  const program = await start();
  const engine = await engineOf(program.port);
  const { died } = await talk(engine);
  await program.kill();
  await start(program.port);
  const reasons = [
    `rtpengine 127.0.0.1:${program.port} does not run`,
    `rtpengine 127.0.0.1:${program.port} has lost the call`,
  ];
  await expect.poll(() => died, { timeout: 60_000 }).toHaveLength(1);
  expect(reasons).toContain(died[0]);
  await expect.poll(() => engine.state().parts[0]?.isUp, { timeout: 60_000 }).toBe(true);
  await talk(engine);
});

test('without any host a call is refused at once, with the hosts and what is wrong with each', async () => {
  const ports = [await freePort(), await freePort()];
  const engine = await engineOf(...ports);
  const open = () =>
    engine.open('nobody', { silent: () => undefined, keyPress: () => undefined, died: () => undefined });
  expect(open).toThrow(MediaUnavailable);
  expect(open).toThrow(ports.map((port) => `rtpengine 127.0.0.1:${port} does not run`).join('; '));
});

test('a full host refuses with its reason, and has all ports again after the calls', async () => {
  const program = await start();
  const engine = await engineOf(program.port);
  const calls: Talk[] = [];
  // Each call takes eight of its hundred ports.
  await expect(async () => {
    for (let count = 0; count < 30; count++) calls.push(await talk(engine));
  }).rejects.toThrow(`rtpengine 127.0.0.1:${program.port} refuses: Ran out of ports`);
  expect(calls.length).toBeGreaterThan(5);
  await Promise.all(calls.map(({ call }) => call.close()));
  await expect.poll(() => talk(engine).then(() => true, String), { timeout: 60_000 }).toBe(true);
});

test('what a killed process has left is closed by another one, also after phones that rang in vain', async () => {
  const program = await start();
  const [killed, next] = [await engineOf(program.port), await engineOf(program.port)];
  const [one, other, kept] = [await talk(killed), await talk(killed, 3), await talk(killed)];
  expect(await program.calls()).toBe(3);
  next.forget?.([one.id, other.id]);
  const reason = `rtpengine 127.0.0.1:${program.port} has lost the call`;
  await expect.poll(() => [...one.died, ...other.died], { timeout: 60_000 }).toEqual([reason, reason]);
  expect([await program.calls(), kept.died]).toEqual([1, []]);
});
