/**
 * The job that counts conversion and blocks prefixes whose conversion collapses, or only says so, as the settings ask.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { writeAudit } from '../../../business/audit.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { planOnce } from '../../../engines/jobs/plan-once.ts';
import { defineTask, jobActor } from '../../../engines/jobs/task.ts';
import { readSettings, type VerificationSettings } from '../settings.ts';
import { type Collapse, findCollapses, type Traffic } from './collapse.ts';
import { bucketMs, bucketOf, countConversion, unsettledMs } from './count-conversion.ts';

const countTask = defineTask('verification.conversion', { priority: 'background' });

const daysBefore = 7;

/** Plans the count of these ten minutes, once per process, before the first start of them is stored. */
export async function planConversion(env: Environment, settings: VerificationSettings, now: Date): Promise<void> {
  if (settings.conversionMode === 'off') return;
  const end = new Date(bucketOf(now).getTime() + bucketMs);
  await planOnce(env, countTask, end, String(end.getTime()));
}

export const guardPrefixes = handle(countTask, async (_payload, { env }: TaskContext<Environment>) => {
  const settings = await readSettings(env);
  if (settings.conversionMode === 'off') return;
  const now = env.clock.now();
  const isOpen = await countConversion(env, new Date(now.getTime() - unsettledMs));
  await applyRule(env, settings);
  // Without further starts nothing else would count what still comes back.
  const next = new Date(bucketOf(now).getTime() + bucketMs);
  if (isOpen) await planOnce(env, countTask, next, String(next.getTime()));
});

/** Stores a decision for every prefix that has collapsed and has none. Returns how many there were. */
export async function applyRule(env: Environment, settings: VerificationSettings): Promise<number> {
  const { conversionMode, conversionStarts: starts, conversionPercent: percent } = settings;
  if (conversionMode === 'off') return 0;
  const now = env.clock.now();
  return inTransaction(env.db, async (db) => {
    const inside = { ...env, db };
    const mode = conversionMode === 'enforce' ? await enforcedMode(inside, settings, now) : conversionMode;
    await endDue(inside, now);
    const traffic = await readTraffic(inside, settings, now);
    const collapses = findCollapses(traffic, { starts, percent }, settings.conversionMinutes);
    let decided = 0;
    for (const collapse of collapses) decided += (await decide(inside, settings, collapse, mode, now)) ? 1 : 0;
    return decided;
  });
}

/** While it learns what is usual in this environment, a collapse is only noted. */
async function enforcedMode(
  { db }: Environment,
  { conversionLearningDays: days }: VerificationSettings,
  now: Date,
): Promise<'monitor' | 'block'> {
  const first = await db
    .selectFrom('verification_conversion')
    .select((select) => select.fn.min('started').as('started'))
    .executeTakeFirst();
  const learned = first?.started != null && now.getTime() - first.started.getTime() >= days * 86_400_000;
  return learned ? 'block' : 'monitor';
}

/** Blocks whose time is over make room for a new decision. */
async function endDue({ db }: Environment, now: Date): Promise<void> {
  await sql`
    update prefix_blocks set lifted_at = until, lifted_by = 'system', lift_reason = 'Its time was over.'
    where lifted_at is null and until <= ${now}`.execute(db);
}

/** What was started before a block was lifted does not count again. */
async function readTraffic({ db }: Environment, settings: VerificationSettings, now: Date): Promise<Traffic[]> {
  const from = new Date(now.getTime() - settings.conversionMinutes * 60_000);
  const before = new Date(from.getTime() - daysBefore * 86_400_000);
  const { rows } = await sql<Traffic & { sentByAll: number; verifiedByAll: number }>`
    with counted as (
      select left(v.prefix, ${settings.conversionDigits}) as prefix, v.account_id, v.started,
        v.sent - v.superseded - v.open as sent, v.verified
      from verification_conversion v where v.started >= ${before}
    ), recent as (
      select c.prefix, c.account_id, sum(c.sent)::int as sent, sum(c.verified)::int as verified from counted c
      where c.started >= ${from} and not exists (
        select from prefix_blocks b where b.prefix = c.prefix and b.lifted_at > c.started
          and (b.account_id is null or b.account_id = c.account_id))
      group by 1, 2 having sum(c.sent) > 0
    ), former as (
      select prefix, account_id, sum(sent)::int as sent, sum(verified)::int as verified from counted
      where started < ${from} group by 1, 2
    )
    select r.prefix, r.account_id as "accountId", r.sent, r.verified,
      coalesce(f.sent, 0) as "sentBefore", coalesce(f.verified, 0) as "verifiedBefore",
      coalesce((select sum(a.sent) from former a where a.prefix = r.prefix), 0)::int as "sentByAll",
      coalesce((select sum(a.verified) from former a where a.prefix = r.prefix), 0)::int as "verifiedByAll"
    from recent r left join former f using (prefix, account_id)`.execute(db);
  return rows.map(({ sentByAll, verifiedByAll, ...row }) =>
    row.sentBefore >= settings.conversionStarts
      ? row
      : { ...row, sentBefore: sentByAll, verifiedBefore: verifiedByAll },
  );
}

/** False if something is decided about the prefix already, or it is safe. */
async function decide(
  env: Environment,
  settings: VerificationSettings,
  { prefix, accountId, reason, measured }: Collapse,
  mode: 'monitor' | 'block',
  now: Date,
): Promise<boolean> {
  const [id, until] = [randomUUID(), new Date(now.getTime() + settings.conversionBlockMinutes * 60_000)];
  const { rows } = await sql<{ id: string }>`
    insert into prefix_blocks as b (id, prefix, account_id, mode, reason, measured, actor, created_at, until)
    select ${id}, ${prefix}, ${accountId}::uuid, ${mode}, ${reason}, ${JSON.stringify(measured)}::jsonb, 'system', ${now}, ${until}
    where not exists (
      select from prefix_blocks s where s.lifted_at is null and s.mode = 'safe' and starts_with(${prefix}, s.prefix)
        and (s.account_id is null or s.account_id = ${accountId}::uuid))
    on conflict (prefix, coalesce(account_id, '00000000-0000-0000-0000-000000000000')) where lifted_at is null
    do update set mode = 'block', reason = excluded.reason, measured = excluded.measured, until = excluded.until
      where b.mode = 'monitor' and excluded.mode = 'block' and b.actor = 'system'
    returning id`.execute(env.db);
  const [stored] = rows;
  if (stored === undefined) return false;
  env.log.warn({ prefix, account: accountId, mode, reason }, 'the conversion of a prefix has collapsed');
  await writeAudit(env.db, {
    ...{ at: now, by: jobActor(countTask), action: 'prefix_block.created', accountId, reason },
    ...{ subject: { type: 'prefix_blocks', id: stored.id }, after: { prefix, mode, until } },
  });
  return true;
}
