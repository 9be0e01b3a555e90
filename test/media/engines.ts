/** Both media engines, as tests that are the same for each of them open them. */
import { expect } from 'vitest';
import { EmbeddedEngine } from '../../src/engines/media/embedded/embedded-engine.ts';
import type { MediaEngine } from '../../src/engines/media/media-engine.ts';
import { rtpengine } from '../../src/engines/media/rtpengine/rtpengine.ts';
import { machineTimers } from '../../src/engines/sip/timers.ts';
import { startRtpengine } from '../support/edge.ts';

export interface OpenEngine {
  engine: MediaEngine;
  close(): Promise<void>;
}

/** Each has media at these addresses, at most one of each family. */
export const engines: Readonly<Record<MediaEngine['name'], (addresses: string[]) => Promise<OpenEngine>>> = {
  embedded: async (addresses) => {
    const log = (problem: string) => expect.unreachable(problem);
    const engine = new EmbeddedEngine({ ports: null, addresses, threads: 2, timers: machineTimers, log });
    return { engine, close: () => engine.stop() };
  },
  rtpengine: async (addresses) => {
    const program = await startRtpengine(undefined, addresses);
    const engine = await rtpengine({ hosts: [{ host: '127.0.0.1', port: program.port }], timers: machineTimers });
    return { engine, close: () => engine.stop().then(program.stop) };
  },
};
