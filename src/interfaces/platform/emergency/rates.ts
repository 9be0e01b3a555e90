/** The prices of emergency calling: the requirement's price, or the account's own price if the operator has set one. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';

/**
 * SQL: the account's own price if it has one, even if that is null; otherwise the price of the requirement as the
 * account pays it. `account` is SQL for its id.
 */
const price = (column: 'setup_price' | 'monthly_price', account: string): string => {
  const product = column === 'setup_price' ? 'emergency_setup' : 'emergency_monthly';
  return `case when o.account_id is null then adjusted_price(${account}, '${product}', q.${column}) else o.${column} end`;
};

/** SQL: the requirements with the prices of one account; `account` is SQL for its id. */
export const pricedFor = (account: string): string => `
  select q.id, q.country_id, q.did_group_type_id, q.identity_type, q.personal_area_level, q.business_area_level,
    q.address_area_level, q.personal_mandatory_fields, q.business_mandatory_fields, q.address_mandatory_fields,
    q.estimate_setup_time, q.requirement_restriction_message,
    ${price('setup_price', `${account}::uuid`)} as setup_price, ${price('monthly_price', `${account}::uuid`)} as monthly_price
  from emergency_requirements q
    left join emergency_rates o on o.emergency_requirement_id = q.id and o.account_id = ${account}::uuid`;

interface Rate {
  id: string;
  setup_price: string;
  monthly_price: string;
}

/** Returns the account's price for numbers of a country and type, or null if it is not sold to the account. */
export async function findRate(
  trx: Kysely<Schema>,
  accountId: string,
  of: { country_id: string; did_group_type_id: string },
): Promise<Rate | null> {
  const { rows } = await sql<Rate>`
    select * from (
      select q.id, ${sql.raw(price('setup_price', 'a.id'))} as setup_price,
             ${sql.raw(price('monthly_price', 'a.id'))} as monthly_price
      from emergency_requirements q join accounts a on a.id = ${accountId}
        left join emergency_rates o on o.emergency_requirement_id = q.id and o.account_id = a.id
      where q.country_id = ${of.country_id} and q.did_group_type_id = ${of.did_group_type_id}
    ) priced where monthly_price is not null
  `.execute(trx);
  return rows[0] ?? null;
}

/** Sets an account's own price. `null` stops selling to the account, 'usual' restores the price of the requirement. */
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
