/**
 * Classes of destinations by how often they are used for fraud: which prefixes belong to them, and what an account may
 * spend on each in a day (UTC).
 */
import { sql } from 'kysely';
import { isDecimal } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { Environment } from '../../engines/environment.ts';

export const riskClasses = ['standard', 'elevated', 'high'] as const;
type RiskClass = (typeof riskClasses)[number];

function checkedClass(risk: string): RiskClass {
  const known = riskClasses.find((each) => each === risk);
  if (known === undefined) throw new OperatorError(`"${risk}" is not a class: ${riskClasses.join(', ')}.`);
  return known;
}

function checkedPrefix(prefix: string): string {
  if (!/^\d{1,15}$/.test(prefix)) throw new OperatorError(`"${prefix}" is not a prefix of 1 to 15 digits.`);
  return prefix;
}

interface PrefixRisk {
  prefix: string;
  risk: string;
  note?: string | null;
}

/** Numbers with this prefix belong to the class, unless a longer prefix says otherwise. */
export async function setPrefixRisk(env: Environment, { prefix, risk, note = null }: PrefixRisk): Promise<void> {
  const row = { risk: checkedClass(risk), note };
  await env.db
    .insertInto('destination_risks')
    .values({ prefix: checkedPrefix(prefix), ...row })
    .onConflict((conflict) => conflict.column('prefix').doUpdateSet(row))
    .execute();
}

/** Returns whether there was such a prefix. */
export async function removePrefixRisk(env: Environment, prefix: string): Promise<boolean> {
  const gone = env.db.deleteFrom('destination_risks').where('prefix', '=', checkedPrefix(prefix));
  return (await gone.executeTakeFirst()).numDeletedRows > 0n;
}

export const listPrefixRisks = (env: Environment) =>
  env.db.selectFrom('destination_risks').selectAll().orderBy('prefix').execute();

interface RiskLimit {
  risk: string;
  /** An amount a day, VAT included; null for no limit. */
  limit: string | null;
  /** Default: all accounts without a limit of their own. */
  accountId?: string | null;
}

export async function setRiskLimit(env: Environment, { risk, limit, accountId = null }: RiskLimit): Promise<void> {
  if (limit !== null && !isDecimal(limit, { whole: 9, decimals: 4 })) {
    throw new OperatorError(`"${limit}" is not an amount such as 25.00.`);
  }
  await sql`
    insert into risk_limits (risk, account_id, daily_limit) values (${checkedClass(risk)}, ${accountId}, ${limit})
    on conflict (risk, coalesce(account_id, '00000000-0000-0000-0000-000000000000')) do update
      set daily_limit = excluded.daily_limit
  `.execute(env.db);
}

/** The account has the limit of all others again. Returns whether it had one of its own. */
export async function removeRiskLimit(env: Environment, risk: string, accountId: string): Promise<boolean> {
  const gone = env.db
    .deleteFrom('risk_limits')
    .where('risk', '=', checkedClass(risk))
    .where('account_id', '=', accountId);
  return (await gone.executeTakeFirst()).numDeletedRows > 0n;
}

/** Those of all accounts first. */
export const listRiskLimits = (env: Environment) =>
  env.db
    .selectFrom('risk_limits as l')
    .leftJoin('accounts as a', 'a.id', 'l.account_id')
    .select(['l.risk', 'l.account_id', 'l.daily_limit', 'a.name as account_name'])
    .orderBy(sql`l.account_id is not null`)
    .orderBy('a.name')
    .orderBy('l.risk')
    .execute();

/** Spending of days before is not needed any more. */
export async function forgetRiskSpending(env: Environment): Promise<void> {
  const before = new Date(env.clock.now().getTime() - 3 * 86_400_000);
  await sql`delete from risk_spending where day < call_day(${before})`.execute(env.db);
}
