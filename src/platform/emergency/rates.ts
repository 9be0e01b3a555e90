/** What emergency calling costs: a price for everybody, and another for an account that an operator has set one for. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';

/** An account's own price, null included, comes before everybody's. */
const price = (column: 'setup_price' | 'monthly_price'): string =>
  `case when o.account_id is null then q.${column} else o.${column} end`;

/** The requirements with the prices of one account; `account` is SQL for its id. */
export const pricedFor = (account: string): string => `
  select q.id, q.country_id, q.did_group_type_id, q.identity_type, q.personal_area_level, q.business_area_level,
    q.address_area_level, q.personal_mandatory_fields, q.business_mandatory_fields, q.address_mandatory_fields,
    q.estimate_setup_time, q.requirement_restriction_message,
    ${price('setup_price')} as setup_price, ${price('monthly_price')} as monthly_price
  from emergency_requirements q
    left join emergency_rates o on o.emergency_requirement_id = q.id and o.account_id = ${account}::uuid`;

export interface Rate {
  id: string;
  setup_price: string;
  monthly_price: string;
}

/** What numbers of a place and type cost this account; null when it is not sold to it. */
export async function findRate(
  trx: Kysely<Schema>,
  accountId: string,
  of: { country_id: string; did_group_type_id: string },
): Promise<Rate | null> {
  const monthly = sql.raw(price('monthly_price'));
  const { rows } = await sql<Rate>`
    select q.id, ${sql.raw(price('setup_price'))} as setup_price, ${monthly} as monthly_price
    from emergency_requirements q
      left join emergency_rates o on o.emergency_requirement_id = q.id and o.account_id = ${accountId}
    where q.country_id = ${of.country_id} and q.did_group_type_id = ${of.did_group_type_id} and ${monthly} is not null
  `.execute(trx);
  return rows[0] ?? null;
}

/** Sets a price of an account's own; `monthly` null takes the requirement off its market, 'usual' gives it everybody's. */
export async function setRate(
  env: Environment,
  accountId: string,
  emergencyRequirementId: string,
  monthly: string | null | 'usual',
): Promise<void> {
  const own = { account_id: accountId, emergency_requirement_id: emergencyRequirementId };
  if (monthly === 'usual') {
    await env.db
      .deleteFrom('emergency_rates')
      .where('account_id', '=', accountId)
      .where('emergency_requirement_id', '=', emergencyRequirementId)
      .execute();
    return;
  }
  const prices = { setup_price: monthly === null ? null : '0', monthly_price: monthly };
  await env.db
    .insertInto('emergency_rates')
    .values({ ...own, ...prices })
    .onConflict((conflict) => conflict.columns(['account_id', 'emergency_requirement_id']).doUpdateSet(prices))
    .execute();
}
