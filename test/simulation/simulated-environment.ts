/** A production environment on a database of a simulation, for its processes and for those who lay it out. */
import { pino } from 'pino';
import type { Clock } from '../../src/base/clock.ts';
import { ServerKey } from '../../src/base/server-key.ts';
import { Changes } from '../../src/engines/db/changes.ts';
import { createDatabase, createPool } from '../../src/engines/db/pool.ts';
import { createJobs } from '../../src/engines/jobs/queue.ts';
import type { OutboundHttp } from '../../src/engines/outbound/outbound-http.ts';
import { type WholeEnvironment, wholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';

/** A line of a log, as it was written. */
export type LogLine = Readonly<Record<string, unknown>>;

interface Options {
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly outbound: OutboundHttp;
  /** Hears of errors. */
  logged(line: LogLine): void;
}

const connections = 5;

export async function openEnvironment({ databaseUrl, clock, outbound, logged }: Options): Promise<WholeEnvironment> {
  const log = pino({ level: 'error', base: null, timestamp: false }, { write: (line) => logged(JSON.parse(line)) });
  const pool = createPool(databaseUrl, { max: connections });
  const changes = await Changes.open(pool, log);
  return wholeEnvironment({
    name: 'production',
    pool,
    db: createDatabase(pool),
    changes,
    clock,
    jobs: createJobs(clock, log),
    log,
    serverKey: new ServerKey(Buffer.alloc(32, 7)),
    publicUrl: 'http://trunkline.test',
    outbound,
    headerWord: 'Service',
    traceHours: 0,
    mailer: null,
    objects: null,
    seller: { lines: ['Simulated Ltd'], country: null, vatId: null },
    currency: 'USD',
    invoiceDay: 0,
    orderSeconds: 0,
    calls: {
      reserveSeconds: 6,
      names: null,
      identityAuthorities: [],
      twilioNetworks: [],
      digest: ['MD5'],
      md5Agents: [],
    },
  });
}

/** What goes wrong for want of a database may be said. */
export const isOutage = ({ err }: LogLine): boolean =>
  typeof err === 'object' && err !== null && 'message' in err && outages.test(String(err.message));

const outages =
  /^(terminating connection|Connection terminated|timeout exceeded|canceling statement|deadlock|no database connection|connect ECONN)/;
