/**
 * Thousands of calls between two user agents in one thread, with loss, reordering and duplicates from a printed seed.
 * Whatever the network does, every call ends exactly once on both sides and leaves nothing behind. SIP_SEED=… repeats a
 * run.
 */
import { expect, test } from 'vitest';
import type { IncomingCall } from '../dialog/incoming-call.ts';
import type { OutgoingCall } from '../dialog/outgoing-call.ts';
import type { Session, SessionUser } from '../dialog/session.ts';
import { UserAgent } from '../user-agent.ts';
import { SeededIds } from './seeded-ids.fixture.ts';
import { SeededRandom, testSeed } from './seeded-random.fixture.ts';
import { type Conditions, SimulatedNetwork } from './simulated-network.fixture.ts';
import { SimulatedTimers } from './simulated-timers.fixture.ts';

const callsPerRun = 2_000;
const meanPauseMs = 20;
const sdp = { type: 'application/sdp', body: Buffer.from('v=0\r\n') };

type Script = 'answer' | 'busy' | 'ring' | 'cancel' | 'reliable' | 'cancel near answer';
const scripts: readonly Script[] = [
  'answer',
  'answer',
  'answer',
  'busy',
  'ring',
  'cancel',
  'reliable',
  'cancel near answer',
];

/** What happened to a call on one side; every list must have one entry in the end. */
interface Side {
  ends: string[];
}

class Run {
  readonly timers = new SimulatedTimers();
  readonly random: SeededRandom;
  readonly network: SimulatedNetwork;
  readonly caller: UserAgent;
  readonly callee: UserAgent;
  /** By Call-ID. */
  readonly placed = new Map<string, Side>();
  readonly taken = new Map<string, Side>();
  readonly outcomes = new Map<string, number>();

  constructor(seed: number, conditions: Conditions) {
    this.random = new SeededRandom(seed);
    this.network = new SimulatedNetwork(this.timers, new SeededRandom(seed + 1), conditions);
    this.caller = this.agent('192.0.2.1', seed + 2);
    this.callee = this.agent('192.0.2.2', seed + 3);
  }

  agent(address: string, seed: number): UserAgent {
    const random = new SeededRandom(seed);
    const ids = new SeededIds(random);
    const agent = new UserAgent(
      { timers: this.timers, ids, random: () => random.next() },
      { call: (call) => this.arrive(call), request: (transaction) => transaction.reply(405) },
    );
    agent.transport.attach(this.network.listen('UDP', address, 5060, agent.transport.received), { host: address });
    return agent;
  }

  end(side: Side, how: string): void {
    side.ends.push(how);
    this.outcomes.set(how, (this.outcomes.get(how) ?? 0) + 1);
  }

  place(): void {
    const script = this.random.pick(scripts);
    const call = this.caller.place(
      {
        uri: `sip:${encodeURIComponent(script)}@192.0.2.2`,
        from: '<sip:a@192.0.2.1>',
        to: '<sip:b@192.0.2.2>',
        targets: [{ transport: 'UDP', address: '192.0.2.2', port: 5060 }],
        extra: { content: sdp },
        ringingMs: 20_000,
      },
      {
        progress: () => undefined,
        answered: (_call, session, response) => {
          session.acknowledge(response);
          this.talk(session);
        },
        failed: (_call, status) => this.end(side, `failed ${status}`),
      },
      this.sessionUser(() => side),
    );
    const side: Side = { ends: [] };
    this.placed.set(call.callId, side);
    if (script === 'cancel') this.later(3_000, (given: OutgoingCall) => given.cancel(), call);
    if (script === 'cancel near answer')
      this.timers.after(2_000 + this.random.below(200), (given) => given.cancel(), call);
  }

  arrive(call: IncomingCall): void {
    const side: Side = { ends: [] };
    const { callId } = call.dialog;
    if (this.taken.has(callId)) throw new Error('a call arrived twice');
    this.taken.set(callId, side);
    call.watch({ cancelled: () => this.end(side, 'cancelled') });
    const script = decodeURIComponent(call.transaction.request.uri.slice(4).split('@')[0] ?? '') as Script;
    if (script === 'busy') {
      call.reject(486);
      return void this.end(side, 'refused');
    }
    call.progress(180, {}, script === 'reliable');
    if (script === 'reliable') call.progress(183, { content: sdp }, true);
    const accept = (given: IncomingCall) =>
      given.whenAcceptable(() => {
        const session = given.accept(
          { content: sdp },
          this.sessionUser(() => side),
        );
        if (session) this.talk(session);
      });
    const refuse = (given: IncomingCall) => {
      if (given.isOver) return;
      given.reject(480);
      this.end(side, 'refused');
    };
    if (script === 'ring') this.timers.after(25_000, refuse, call);
    else if (script === 'cancel near answer') this.timers.after(2_100, accept, call);
    else this.later(5_000, accept, call);
  }

  /** Both sides decide on their own when to re-INVITE and hang up, so all of it collides now and then. */
  talk(session: Session): void {
    if (this.random.chance(0.2)) this.later(3_000, (given: Session) => this.reinvite(given), session);
    if (this.random.chance(0.1)) session.keepAlive(1_000);
    if (this.random.chance(0.7))
      this.timers.after(3_000 + this.random.below(2_000), (given) => given.hangUp(), session);
    this.timers.after(20_000, (given) => given.hangUp(), session);
  }

  reinvite(session: Session): void {
    if (session.isEnded) return;
    session.reinvite({ content: sdp }, (response) => {
      if (response && response.status < 300) session.acknowledge(response);
    });
  }

  sessionUser(side: () => Side): SessionUser {
    return {
      request: (session, transaction) =>
        this.later(300, () => session.answer(transaction, 200, { content: sdp }), null),
      acknowledged: () => undefined,
      ended: (_session, cause) => this.end(side(), cause),
    };
  }

  later<Argument>(most: number, run: (argument: Argument) => void, argument: Argument): void {
    this.timers.after(this.random.below(most), run, argument);
  }

  /** Ends of each side that are not exactly one. */
  wrong(): string[] {
    const sides = [...this.placed, ...this.taken];
    return sides
      .filter(([, { ends }]) => ends.length !== 1)
      .map(([callId, { ends }]) => `${callId}: ${ends.join(', ') || 'no end'}`);
  }
}

function runCalls(seed: number, conditions: Conditions, calls: number): Run {
  const run = new Run(seed, conditions);
  let at = 0;
  for (let count = 0; count < calls; count++) {
    at += run.random.below(2 * meanPauseMs);
    run.timers.after(at, () => run.place(), null);
  }
  expect(run.timers.runUntilQuiet(at + 600_000)).toBe(true);
  return run;
}

function checkEnded(run: Run): void {
  expect(run.wrong()).toEqual([]);
  for (const agent of [run.caller, run.callee]) expect([agent.dialogs, agent.transactions.size]).toEqual([0, 0]);
}

const lossy: Conditions = { loss: 0.1, duplicates: 0.05, delayMs: [1, 120] };

test(`${callsPerRun} calls with 10 % loss, reordering and duplicates: each ends once on both sides`, () => {
  const seed = testSeed();
  console.log(`calls: SIP_SEED=${seed}`);
  const run = runCalls(seed, lossy, callsPerRun);
  checkEnded(run);
  expect(run.placed.size).toBe(callsPerRun);
  expect(run.network.counts.lost / run.network.counts.sent).toBeCloseTo(0.1, 1);
  // All ways to end did occur.
  for (const how of ['local', 'remote', 'failed 486', 'failed 487', 'failed 408', 'cancelled', 'refused']) {
    expect(run.outcomes.get(how) ?? 0).toBeGreaterThan(callsPerRun / 100);
  }
});

test('the same seed gives the same run', () => {
  const [one, other] = [runCalls(11, lossy, 300), runCalls(11, lossy, 300)];
  expect([...one.outcomes].sort()).toEqual([...other.outcomes].sort());
  expect(one.network.counts).toEqual(other.network.counts);
});

test('without loss nobody is lost, however the messages overtake each other', () => {
  const run = runCalls(5, { loss: 0, duplicates: 0, delayMs: [1, 20] }, 1_000);
  checkEnded(run);
  for (const how of ['lost', 'unacknowledged', 'expired']) expect(run.outcomes.get(how), how).toBeUndefined();
});

test('30 % loss: slower, and still every call ends once', () => {
  checkEnded(runCalls(testSeed(), { loss: 0.3, duplicates: 0.1, delayMs: [1, 300] }, 1_000));
});

test('one side loses power: the other ends every call by itself', () => {
  const run = new Run(testSeed(), lossy);
  for (let count = 0; count < 500; count++) run.timers.after(count * 20, () => run.place(), null);
  run.timers.after(6_000, () => run.network.silence('192.0.2.2'), null);
  expect(run.timers.runUntilQuiet(600_000)).toBe(true);
  expect(run.wrong().filter((line) => run.placed.has(line.split(':')[0] ?? ''))).toEqual([]);
  expect(run.caller.dialogs).toBe(0);
});
