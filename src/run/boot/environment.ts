/** Opens one environment: its database at the newest schema, its clock, its jobs. */
import type pg from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../../base/operator-error.ts';
import { smtpMailer } from '../../business/mail/mailer.ts';
import { Changes } from '../../engines/db/changes.ts';
import { migrate } from '../../engines/db/migrate.ts';
import { createDatabase, createPool, shareOf } from '../../engines/db/pool.ts';
import { Replicas } from '../../engines/db/replicas.ts';
import { commandTimeouts, requestTimeouts } from '../../engines/db/timeouts.ts';
import type { Environment, EnvironmentName, Neighbour } from '../../engines/environment.ts';
import { createJobs } from '../../engines/jobs/queue.ts';
import { s3Store } from '../../engines/objects/s3-store.ts';
import { type AddressPolicy, addressPolicy } from '../../engines/outbound/address-policy.ts';
import { type OutboundHttp, outboundHttp } from '../../engines/outbound/outbound-http.ts';
import { openClock } from '../../interfaces/sandbox/clock.ts';
import { StoredFaults } from '../../interfaces/sandbox/faults/stored-faults.ts';
import { type WholeEnvironment, wholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { closeProviders } from '../../interfaces/verification/delivery/opened-providers.ts';
import { databasePlaces } from '../config/database-url.ts';
import { isReachableByStrangers, seedLimits } from '../config/reach.ts';
import type { Config } from '../config/types.ts';
import { within } from './closing.ts';
import { requireCurrency } from './currency.ts';
import { openServerKey } from './data-folder.ts';

interface OpenEnvironment {
  readonly env: WholeEnvironment;
  /** What the schema lacked before, in words. */
  readonly migrated: string[];
  close(): Promise<void>;
}

interface EnvironmentParts {
  config: Config;
  url: string;
  log: Logger;
  /** False for commands, whose statements may take as long as they need. */
  serving?: boolean;
  /** What a world has instead of the settings of its sandbox. */
  adapted?: (env: Environment) => Environment;
}

/** What still hangs then ends with the process. */
const closePatienceMs = 1_000;

export async function openEnvironment(name: EnvironmentName, parts: EnvironmentParts): Promise<OpenEnvironment> {
  const log = parts.log.child({ environment: name });
  const { databaseConnections: max, accountConnections, databaseWaitMs: requestWaitMs } = parts.config;
  const perAccount = accountConnections ?? shareOf(max);
  const timeouts = parts.serving ? requestTimeouts : commandTimeouts;
  const { databaseUrl, databaseDirectUrl } = parts.config.environments[name];
  // A world's database is not behind the pooler of its sandbox.
  const directUrl = parts.url === databaseUrl ? databaseDirectUrl : null;
  const pool = createPool(parts.url, { max, perAccount, requestWaitMs, timeouts, log, directUrl });
  try {
    await requireConnection(name, parts.url, pool);
    const migrated = await migrate(pool);
    const serverKey = await openServerKey(name, pool, parts.config);
    await requireCurrency(name, pool, parts.config.currency);
    const changes = await Changes.open(pool, log);
    const clock = await openClock(name, pool, changes);
    const db = createDatabase(pool);
    const { databaseReplicaUrls: replicaUrls } = parts.config.environments[name];
    const replicas =
      parts.serving && parts.url === databaseUrl && replicaUrls.length > 0
        ? new Replicas(replicaUrls, (text) => changes.query(text), {
            ...{ max, perAccount, requestWaitMs, timeouts, log },
            mostLagSeconds: parts.config.replicaLagSeconds,
          })
        : null;
    const { publicUrl } = parts.config.environments[name];
    const asSet: Environment = {
      name,
      pool,
      db,
      ...(replicas === null ? {} : { replicas }),
      changes,
      clock,
      jobs: createJobs(clock, log),
      log,
      serverKey,
      publicUrl,
      beside: neighbourOf(name, parts.config),
      outbound: openOutbound(name, parts.config),
      headerWord: parts.config.headerWord,
      traceHours: parts.config.traceHours,
      calls: parts.config.calls,
      seller: parts.config.seller,
      currency: parts.config.currency,
      invoiceDay: parts.config.invoiceDay,
      ...(name === 'sandbox'
        ? {
            faults: new StoredFaults(db, changes),
            orderSeconds: parts.config.sandboxOrderSeconds,
            seedLimits: seedLimits(parts.config),
          }
        : {}),
      mailer: parts.config.smtp === null ? null : smtpMailer(parts.config.smtp),
      objects: parts.config.s3 === null ? null : s3Store(parts.config.s3),
    };
    const env = wholeEnvironment(parts.adapted?.(asSet) ?? asSet);
    const close = async () => {
      // The pool first: a job that still runs must not store its aborted request as the receiver's response.
      const parts = Promise.all([
        pool.end(),
        closeProviders(env),
        env.outbound.close(),
        changes.close(),
        replicas?.close(),
      ]);
      await within(closePatienceMs, parts).catch((error) => log.warn({ err: error }, 'not everything could be closed'));
    };
    return { env, migrated, close };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Null if it is not served, or at a port that only the system knows. */
function neighbourOf(name: EnvironmentName, { environments }: Pick<Config, 'environments'>): Neighbour | null {
  const other = name === 'sandbox' ? 'production' : 'sandbox';
  const { port, publicUrl } = environments[other];
  return port === null || (port === 0 && publicUrl === null) ? null : { name: other, publicUrl, port };
}

async function requireConnection(name: EnvironmentName, url: string, pool: pg.Pool): Promise<void> {
  try {
    await pool.query('select 1');
  } catch (error) {
    throw new OperatorError(
      `The ${name} database at ${databasePlaces(url).join(', ')} cannot be reached: ${reason(error)}.`,
    );
  }
}

/** Node reports several failed addresses of one host together and without a message. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return (error.message || error.name).replace(/^\w+ (E[A-Z]+) .*$/, '$1').replace(/\.$/, '');
}

function openOutbound(name: EnvironmentName, config: Config): OutboundHttp {
  return outboundHttp(outboundPolicy(name, config));
}

/**
 * A sandbox that only this machine can reach may call back to this machine and its network: that is what it is for. One
 * that strangers can reach would be their way into that network, so the operator has to allow private addresses.
 */
export function outboundPolicy(
  name: EnvironmentName,
  config: Pick<Config, 'host' | 'trustedProxies' | 'environments' | 'outboundAllow'>,
): AddressPolicy {
  const allowEverything = name === 'sandbox' && !isReachableByStrangers(config, name);
  return addressPolicy({ allowEverything, allowedRanges: config.outboundAllow });
}
