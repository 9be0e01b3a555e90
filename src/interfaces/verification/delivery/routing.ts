/**
 * Which providers are asked for a number, in which order: the longest prefix first, then by priority, and behind them
 * those that the circuit breaker has set aside. A provider that fails several times in a row is set aside; after that
 * pause one message tries it, and if that fails too it is set aside for longer. The state is in the provider's row, so
 * all processes and the command line see the same.
 */
import { sql } from 'kysely';
import type { Environment } from '../../../engines/environment.ts';
import type { DeliveryMethod } from '../fields.ts';

export interface RoutedProvider {
  id: string;
  name: string;
  kind: 'http' | 'smpp';
  settings: Record<string, unknown>;
  sealedSecret: string | null;
  /** Failures in a row. */
  failures: number;
  setAsideUntil: Date | null;
}

export async function providersFor(
  env: Environment,
  method: DeliveryMethod,
  destination: string,
): Promise<RoutedProvider[]> {
  const rows = await env.db
    .selectFrom('verification_routes as r')
    .innerJoin('verification_providers as p', 'p.id', 'r.provider_id')
    .select([
      'p.id',
      'p.name',
      'p.kind',
      'p.settings',
      'p.sealed_secret as sealedSecret',
      'p.failures',
      'p.set_aside_until as setAsideUntil',
      'r.prefix',
      'r.priority',
    ])
    .where('r.delivery_method', '=', method)
    .where('p.enabled', '=', true)
    .where((where) => where.fn<boolean>('starts_with', [where.val(destination), 'r.prefix']))
    .execute();
  rows.sort((a, b) => b.prefix.length - a.prefix.length || a.priority - b.priority || a.name.localeCompare(b.name));
  // A provider that several prefixes lead to is asked once, at its best place.
  return [...new Map([...rows].reverse().map((row) => [row.id, row])).values()].reverse();
}

const failuresThatSetAside = 3;
const firstWaitSeconds = 30;
const longestWaitSeconds = 600;

/** In the order of the routes, those set aside at the end: they are asked if no other provider takes the message. */
export async function byHealth(env: Environment, providers: readonly RoutedProvider[]): Promise<RoutedProvider[]> {
  const asked: RoutedProvider[] = [];
  const setAside: RoutedProvider[] = [];
  for (const provider of providers) {
    const healthy = provider.failures < failuresThatSetAside || (await claimTrial(env, provider));
    (healthy ? asked : setAside).push(provider);
  }
  return [...asked, ...setAside];
}

/** Whether the pause is over and this message is the one that tries the provider. */
async function claimTrial(env: Environment, { id, setAsideUntil }: RoutedProvider): Promise<boolean> {
  const now = env.clock.now();
  if (setAsideUntil === null || setAsideUntil > now) return false;
  const { numUpdatedRows } = await env.db
    .updateTable('verification_providers')
    .set({ set_aside_until: new Date(now.getTime() + firstWaitSeconds * 1000) })
    .where('id', '=', id)
    .where('set_aside_until', '<=', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Failures of messages that were under way together count as one while the provider is set aside. */
export async function noteFailure(env: Environment, provider: RoutedProvider, reason: string): Promise<void> {
  const now = env.clock.now();
  const { rows } = await sql<{ failures: number; until: Date | null }>`
    update verification_providers
    set failures = failures + 1, last_failure = ${reason}, last_failure_at = ${now},
        set_aside_until = case when failures + 1 >= ${failuresThatSetAside} then ${now}::timestamptz
          + least(${longestWaitSeconds}, ${firstWaitSeconds} * 2 ^ least(10, failures + 1 - ${failuresThatSetAside})) * interval '1 second' end
    where id = ${provider.id}
      and (set_aside_until is null or set_aside_until <= ${now} or ${provider.failures >= failuresThatSetAside})
    returning failures, set_aside_until as until
  `.execute(env.db);
  const [row] = rows;
  if (row?.until) {
    env.log.warn(
      { provider: provider.name, reason, failures: row.failures, until: row.until },
      'a provider is set aside',
    );
  }
}

export async function noteSuccess(env: Environment, provider: RoutedProvider): Promise<void> {
  if (provider.failures === 0) return;
  await env.db
    .updateTable('verification_providers')
    .set({ failures: 0, set_aside_until: null })
    .where('id', '=', provider.id)
    .execute();
  if (provider.failures >= failuresThatSetAside) env.log.info({ provider: provider.name }, 'a provider is back');
}

/** For the metrics: 1 for a provider that is set aside. */
export async function countSetAside(env: Environment): Promise<Record<string, number>> {
  const rows = await env.db.selectFrom('verification_providers').select(['name', 'set_aside_until']).execute();
  const now = env.clock.now();
  return Object.fromEntries(
    rows.map(({ name, set_aside_until: until }) => [name, until !== null && until > now ? 1 : 0]),
  );
}
