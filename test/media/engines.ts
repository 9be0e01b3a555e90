/** Both media engines, as tests that are the same for each of them open them. */
import { expect } from 'vitest';
import { EmbeddedEngine } from '../../src/engines/media/embedded/embedded-engine.ts';
import type { MediaEngine } from '../../src/engines/media/media-engine.ts';
import { rtpengine } from '../../src/engines/media/rtpengine/rtpengine.ts';
import { machineTimers, type Timers } from '../../src/engines/sip/timers.ts';
import { startRtpengine } from '../support/edge.ts';

export interface OpenEngine {
  engine: MediaEngine;
  close(): Promise<void>;
}

/** Each has media at these addresses, at most one of each family. */
export const engines: Readonly<
  Record<MediaEngine['name'], (addresses: string[], timers?: Timers) => Promise<OpenEngine>>
> = {
  embedded: async (addresses, timers = machineTimers) => {
    const log = (problem: string) => expect.unreachable(problem);
    const engine = new EmbeddedEngine({ ports: null, addresses, threads: 2, timers, log });
    return { engine, close: () => engine.stop() };
  },
  rtpengine: async (addresses, simulated) => {
    const timers = simulated === undefined ? machineTimers : withMachineAnswers(simulated);
    const program = await startRtpengine(undefined, addresses);
    const hosts = [{ host: '127.0.0.1', port: program.port }];
    const engine = await rtpengine({ hosts, timers, mostTranscoded: 8 });
    return { engine, close: () => engine.stop().then(program.stop) };
  },
};

/** The longest pause in which rtpengine is asked anything, its answer included. */
const longestWaitMs = 2_000;

/** Seconds pass for calls when a test says so, and what rtpengine is asked takes the time of the machine. */
const withMachineAnswers = (simulated: Timers): Timers => ({
  now: () => simulated.now(),
  after: (ms, run, argument) => (ms <= longestWaitMs ? machineTimers : simulated).after(ms, run, argument),
});
