/**
 * How many codes come back, counted from the verifications by the ten minutes in which they were started. Nothing of it
 * is done by a request: a job, or whoever reads the counts, counts again what may still have changed.
 */
import { sql } from 'kysely';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { countryOf } from '../destination.ts';
import { uuidv7Floor } from '../uuidv7.ts';

export const bucketMs = 600_000;
/** A code lives ten minutes at most: what is older does not change any more. */
export const unsettledMs = 3 * bucketMs;
const keptMs = 90 * 86_400_000;

export const bucketOf = (at: Date): Date => new Date(Math.floor(at.getTime() / bucketMs) * bucketMs);

interface Counted {
  started: Date;
  account_id: string;
  prefix: string;
  delivery_method: string;
  provider_id: string;
  carrier_id: string;
  starts: number;
  sent: number;
  verified: number;
  failed: number;
  superseded: number;
  open: number;
  sending_ms: number;
}

/** Counts everything that was started at `from` or later. Returns whether codes of it can still come back. */
export async function countConversion(env: Environment, from: Date): Promise<boolean> {
  const now = env.clock.now();
  const since = bucketOf(from);
  return inTransaction(env.db, async (trx) => {
    // Two at once would count the same; the second one waits and counts what is there then.
    await sql`select pg_advisory_xact_lock(hashtext('trunkline conversion'))`.execute(trx);
    const { rows } = await sql<Counted & { first_digits: string; sample: string }>`
      with carried as (
        select distinct on (verification_id) verification_id, carrier_id from verification_calls
        where started_at >= ${since} and carrier_id is not null order by verification_id, started_at desc
      )
      select to_timestamp(floor(extract(epoch from v.created_at) / ${bucketMs / 1000}) * ${bucketMs / 1000}) as started,
        v.account_id, left(v.destination, 6) as prefix, left(v.destination, 8) as first_digits, v.delivery_method,
        coalesce(v.dispatch_provider_id, ${nobody}) as provider_id, coalesce(c.carrier_id, ${nobody}) as carrier_id,
        min(v.destination) as sample, count(*)::int as starts,
        count(v.dispatched_at)::int as sent,
        count(*) filter (where v.status = 'verified')::int as verified,
        count(*) filter (where v.dispatched_at is null and (v.status = 'failed' or v.final_at <= ${now}))::int as failed,
        count(v.dispatched_at) filter (where v.error_code = 'superseded')::int as superseded,
        count(v.dispatched_at) filter (where v.status = 'pending' and v.expires_at > ${now})::int as open,
        coalesce(sum(extract(epoch from v.dispatched_at - v.dispatch_started_at) * 1000), 0)::float8 as sending_ms
      from verifications v left join carried c on c.verification_id = v.id
      where v.id >= ${uuidv7Floor(since)} and v.created_at >= ${since} and v.status <> 'denied'
      group by 1, 2, 3, 4, 5, 6, 7`.execute(trx);
    await trx.deleteFrom('verification_conversion').where('started', '>=', since).execute();
    await trx
      .deleteFrom('verification_conversion')
      .where('started', '<', new Date(now.getTime() - keptMs))
      .execute();
    const counted = byCountry(rows);
    await sql`
      insert into verification_conversion
      select * from jsonb_populate_recordset(null::verification_conversion, ${JSON.stringify(counted)}::jsonb)`.execute(
      trx,
    );
    return counted.some(({ open }) => open > 0);
  });
}

/**
 * Countries that share a calling code may share the six digits of a prefix too (Jersey and Great Britain +44 7700).
 * Eight digits belong to one country.
 */
function byCountry(rows: readonly (Counted & { first_digits: string; sample: string })[]) {
  const sums = new Map<string, Counted & { country: string }>();
  for (const { first_digits: _, sample, ...row } of rows) {
    const country = countryOf(sample) ?? '';
    const { started, account_id, prefix, delivery_method, provider_id, carrier_id } = row;
    const key = [started.getTime(), account_id, prefix, country, delivery_method, provider_id, carrier_id].join(' ');
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...row, country });
    else for (const count of counts) sum[count] += row[count];
  }
  return [...sums.values()].map((sum) => ({ ...sum, sending_ms: Math.round(sum.sending_ms) }));
}

const counts = ['starts', 'sent', 'verified', 'failed', 'superseded', 'open', 'sending_ms'] as const;

/** Stands for no provider, and for no carrier. */
export const nobody = '00000000-0000-0000-0000-000000000000';
