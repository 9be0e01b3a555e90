/** An environment on a fresh database, with a clock that stands still until a test moves it. */
import type { Pool } from 'pg';
import { pino } from 'pino';
import type { Clock } from '../../src/base/clock.ts';
import { ServerKey } from '../../src/base/server-key.ts';
import { Changes } from '../../src/engines/db/changes.ts';
import { createDatabase, createPool, type PoolOptions } from '../../src/engines/db/pool.ts';
import type { EnvironmentName } from '../../src/engines/environment.ts';
import { createJobs } from '../../src/engines/jobs/queue.ts';
import { addressPolicy } from '../../src/engines/outbound/address-policy.ts';
import { outboundHttp } from '../../src/engines/outbound/outbound-http.ts';
import { advanceClock as advance } from '../../src/interfaces/sandbox/advance.ts';
import { StoredFaults } from '../../src/interfaces/sandbox/faults/stored-faults.ts';
import { type WholeEnvironment, wholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { taskHandlers } from '../../src/run/boot/tasks.ts';
import { createTestDatabase } from './database.ts';
import { FixedClock } from './fixed-clock.ts';

export interface TestEnvironmentOptions {
  name?: EnvironmentName;
  /** Where the clock stands at first. */
  at?: string;
  publicUrl?: string | null;
  /** How long orders stay pending; they complete at once without it. */
  orderSeconds?: number;
  /** What seeds of an account may make in a day; without it as much as they want. */
  seedLimits?: WholeEnvironment['seedLimits'];
  pool?: PoolOptions;
  /** Who sells; one without a country by default. */
  seller?: WholeEnvironment['seller'];
  currency?: string;
  /** 0 without it. */
  invoiceDay?: number;
  /** Sends its e-mails; none without it. */
  mailer?: WholeEnvironment['mailer'];
  /** Keeps the files of exports and uploads; they are in the database without it. */
  objects?: WholeEnvironment['objects'];
  /** Settings of calls that differ from the usual ones. */
  calls?: Partial<WholeEnvironment['calls']>;
  /** The way out by HTTP; by default every address may be reached. */
  outbound?: WholeEnvironment['outbound'];
}

export interface TestEnvironment {
  readonly env: WholeEnvironment;
  readonly clock: FixedClock;
  close(): Promise<void>;
}

export async function createTestEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const database = await createTestDatabase();
  const pool = createPool(database.url, { max: 10, ...options.pool });
  const clock = new FixedClock(options.at ?? '2026-06-15T12:00:00Z');
  const changes = await Changes.open(pool, silentLog);
  const usual = environmentOf(options.name ?? 'sandbox', pool, changes, clock, options.publicUrl);
  const env = {
    ...usual,
    calls: { ...usual.calls, ...options.calls },
    outbound: options.outbound ?? usual.outbound,
    orderSeconds: options.orderSeconds ?? 0,
    ...(options.seedLimits === undefined ? {} : { seedLimits: options.seedLimits }),
    seller: options.seller ?? usual.seller,
    currency: options.currency ?? usual.currency,
    invoiceDay: options.invoiceDay ?? usual.invoiceDay,
    mailer: options.mailer ?? null,
    objects: options.objects ?? null,
  };
  return {
    env,
    clock,
    close: async () => {
      await env.outbound.close();
      await changes.close();
      await pool.end();
      await database.drop();
    },
  };
}

/** TEST_LOG=error shows what a server that responded 500 has logged. */
export const silentLog = pino({ level: process.env.TEST_LOG ?? 'silent' });

/** An environment of these connections; its requests may go to every address. */
export function environmentOf(
  name: EnvironmentName,
  pool: Pool,
  changes: Changes,
  clock: Clock,
  publicUrl: string | null = null,
): WholeEnvironment {
  const db = createDatabase(pool);
  return wholeEnvironment({
    name,
    pool,
    db,
    changes,
    clock,
    jobs: createJobs(clock, silentLog),
    log: silentLog,
    serverKey: new ServerKey(Buffer.alloc(32, 7)),
    publicUrl,
    outbound: openOutbound(),
    headerWord: 'Service',
    traceHours: 72,
    calls: {
      reserveSeconds: 6,
      names: null,
      identityAuthorities: [],
      twilioNetworks: ['192.0.2.0/24'],
      digest: ['MD5', 'SHA-256'],
      md5Agents: ['baresip v1'],
    },
    seller: { lines: ['Trunkline Test Ltd'], country: null, vatId: null },
    currency: 'USD',
    invoiceDay: 0,
    ...(name === 'sandbox' ? { faults: new StoredFaults(db, changes) } : {}),
    mailer: null,
    objects: null,
  });
}

/** A way out of its own: it counts what it sent. */
export const openOutbound = () => outboundHttp(addressPolicy({ allowEverything: true, allowedRanges: [] }));

/** Runs the jobs of every room that fall due on the way. */
export function advanceClock(env: WholeEnvironment, seconds: number): Promise<void> {
  return advance(env, seconds, { handlers: taskHandlers });
}

/** Runs every job that is due where the clock stands; `advanceClock` stops at each due time on its way. */
export function runDueJobs(env: WholeEnvironment): Promise<void> {
  return advanceClock(env, 0);
}
