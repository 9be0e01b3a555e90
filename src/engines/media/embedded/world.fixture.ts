/** An embedded engine in a test, with its threads and timers that the test moves, and calls between two parties. */
import { afterAll, onTestFinished } from 'vitest';
import { SimulatedTimers } from '../../sip/simulation/simulated-timers.fixture.ts';
import type { LegSettings, MediaCall, MediaLeg } from '../media-engine.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { Party, plainLeg } from './party.fixture.ts';

type EngineOptions = ConstructorParameters<typeof EmbeddedEngine>[0];

export function openEngine(options: Partial<EngineOptions> = {}) {
  const opened = startEngine(options);
  onTestFinished(() => opened.engine.stop());
  return opened;
}

/** For all tests of a file: its thread takes longer to start than most of them to run. */
export function shareEngine(options: Partial<EngineOptions> = {}) {
  const opened = startEngine(options);
  afterAll(() => opened.engine.stop());
  return opened;
}

function startEngine(options: Partial<EngineOptions>) {
  const timers = new SimulatedTimers();
  const problems: string[] = [];
  const engine = new EmbeddedEngine({
    ports: null,
    addresses: ['127.0.0.1', '::1'],
    threads: 1,
    timers,
    log: (problem) => problems.push(problem),
    ...options,
  });
  return { engine, timers, problems };
}

interface Events {
  silent: string[];
  keys: { leg: string; key: string; durationMs: number }[];
  died: string[];
}

export function openCall(engine: EmbeddedEngine): { call: MediaCall; events: Events } {
  const events: Events = { silent: [], keys: [], died: [] };
  const call = engine.open('call', {
    silent: ({ name }) => void events.silent.push(name),
    keyPress: ({ name }, key, durationMs) => void events.keys.push({ leg: name, key, durationMs }),
    died: (reason) => void events.died.push(reason),
  });
  onTestFinished(async () => void (await call.close()));
  return { call, events };
}

interface PairOptions {
  alice?: Party;
  bob?: Party;
  aliceLeg?: Partial<LegSettings>;
  bobLeg?: Partial<LegSettings>;
}

/** Offer and answer; each party reads what it is told. */
export async function exchange(
  call: MediaCall,
  offerer: { leg: MediaLeg; party: Party; sdp?: Buffer },
  answerer: { leg: MediaLeg; party: Party; sdp?: Buffer },
): Promise<{ offer: string; answer: string }> {
  const offer = await call.offer(offerer.leg, answerer.leg, offerer.sdp ?? offerer.party.describe());
  answerer.party.told(offer);
  const answer = await call.answer(answerer.leg, offerer.leg, answerer.sdp ?? answerer.party.describe());
  offerer.party.told(answer);
  return { offer: offer.toString(), answer: answer.toString() };
}

/** A call between two parties that are joined. */
export async function openPair(engine: EmbeddedEngine, options: PairOptions = {}) {
  const { call, events } = openCall(engine);
  const alice = {
    party: options.alice ?? (await Party.open()),
    leg: call.leg('alice', { ...plainLeg, ...options.aliceLeg }),
  };
  const bob = { party: options.bob ?? (await Party.open()), leg: call.leg('bob', { ...plainLeg, ...options.bobLeg }) };
  const told = await exchange(call, alice, bob);
  return { call, events, alice: alice.party, bob: bob.party, legs: { alice: alice.leg, bob: bob.leg }, told };
}

/** What the relay says of one party. */
export async function heardOf(call: MediaCall, name: string) {
  const { legs } = await call.quality();
  const found = legs.find((leg) => leg.name === name);
  if (found === undefined) throw new Error(`there is no leg ${name}`);
  return found.heard;
}
