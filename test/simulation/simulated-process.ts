/**
 * One server process of a simulation: its own environment, connections, HTTP server, job workers and voice service,
 * as `serve` starts them. Several share this Node process and nothing else than the database.
 */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../src/base/clock.ts';
import { startVoice, type Voice, type VoiceService, voiceOf } from '../../src/business/voice/voice.ts';
import type { Worker } from '../../src/engines/jobs/worker.ts';
import type { OutboundHttp } from '../../src/engines/outbound/outbound-http.ts';
import { platformRoom } from '../../src/interfaces/platform/v3/routes.ts';
import { createHttpServer } from '../../src/interfaces/server/http-server.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { verificationRoom } from '../../src/interfaces/verification/room.ts';
import { startWorkers } from '../../src/run/boot/workers.ts';
import type { Owner } from './events.ts';
import { type LogLine, openEnvironment } from './simulated-environment.ts';
import { running } from './virtual-timers.ts';

export interface Machine {
  databaseUrlOf(process: SimulatedProcess): string;
  readonly clock: Clock;
  outboundOf(process: SimulatedProcess): OutboundHttp;
  /** What a process has logged as an error. */
  logged(process: SimulatedProcess, line: LogLine): void;
}

interface Started {
  readonly env: WholeEnvironment;
  readonly app: FastifyInstance;
  readonly voice: Voice;
}

export class SimulatedProcess implements Owner {
  readonly name: string;
  readonly #machine: Machine;
  isDead = false;
  /** When it was killed, by the clock of the simulation. */
  diedAt: number | null = null;
  /** Null while it starts. */
  started: Started | null = null;
  #stopping: Promise<void> | null = null;
  #stop: () => Promise<void> = async () => undefined;

  constructor(name: string, machine: Machine) {
    this.name = name;
    this.#machine = machine;
  }

  get isReady(): boolean {
    return this.started !== null && this.#stopping === null && !this.isDead;
  }

  /** Runs something as this process. */
  run<T>(work: () => T): T {
    return running.run(this, work);
  }

  async start(): Promise<void> {
    const env = await openEnvironment({
      databaseUrl: this.#machine.databaseUrlOf(this),
      clock: this.#machine.clock,
      outbound: this.#machine.outboundOf(this),
      logged: (line) => this.#machine.logged(this, line),
    });
    const workers: Worker[] = [];
    const service: VoiceService = await startVoice(env);
    await startWorkers(env, workers);
    const app = await createHttpServer(env, { rooms: [platformRoom, verificationRoom] });
    await app.ready();
    this.#stop = async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await service.stop();
      await app.close();
      await env.outbound.close();
      await env.changes.close();
      await env.pool.end();
    };
    this.started = { env, app, voice: await voiceOf(env) };
  }

  /** As on SIGTERM. */
  stop(): Promise<void> {
    this.#stopping ??= this.run(() => this.#stop());
    return this.#stopping;
  }
}
