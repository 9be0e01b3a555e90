/** A database with customers who can be called, and a receiver of their events in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pino } from 'pino';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { openEnvironment } from '../../src/run/boot/environment.ts';
import { readConfig } from '../../src/run/config/read-config.ts';
import { createTelephony, type Telephony } from '../../test/support/telephony.ts';
import { openWorld, type Served } from '../world.ts';

export interface Seen {
  id: string;
  type: string;
  at: number;
}

export interface VoiceWorld {
  env: WholeEnvironment;
  telephony: Telephony;
  /** The program itself on this database, as `npm start` runs it. */
  serve(): Promise<Served>;
  /** Where events go; `/hang` never answers. */
  receiver: string;
  /** What came so far. */
  seen(): Promise<Seen[]>;
  forget(): Promise<void>;
  close(): Promise<void>;
}

export async function openVoiceWorld(): Promise<VoiceWorld> {
  const world = await openWorld();
  await world.server.createDatabase('voice');
  const { env, close } = await openEnvironment('sandbox', {
    config: readConfig({
      TRUNKLINE_DATA: world.folder,
      TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 9).toString('base64'),
    }),
    url: world.server.url('voice'),
    log: pino({ level: 'silent' }),
  });
  const child: ChildProcess = fork(path.join(import.meta.dirname, '../servers/event-receiver.ts'));
  const [port] = await once(child, 'message');
  const receiver = `http://127.0.0.1:${port}`;
  return {
    env,
    telephony: await createTelephony(env),
    serve: () => world.serve('voice'),
    receiver,
    seen: async () => (await fetch(receiver)).json() as Promise<Seen[]>,
    forget: async () => {
      await fetch(receiver, { method: 'DELETE' });
    },
    close: async () => {
      child.kill();
      await close();
      await world.close();
    },
  };
}

export const now = (): number => performance.timeOrigin + performance.now();

/** The value below which the given share of all lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Looks again until it is so. */
export async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 20));
}
