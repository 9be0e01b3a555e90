/**
 * Whose rows a request reaches. There are two forms: the rows of one account, or those of every account (an operator's).
 * A statement about an account-owned type cannot be built without one of them.
 */
import type { Params } from './sql.ts';

export type Tenant = { readonly accountId: string } | 'every account';

interface WithTenant {
  readonly tenant: Tenant | null;
}

/** The condition that keeps a statement within the tenant; null when it reaches every account. */
export function tenantCondition({ tenant }: WithTenant, accountColumn: string, params: Params): string | null {
  if (tenant === null) throw new Error(`${accountColumn} names an account, and this request has none`);
  return tenant === 'every account' ? null : `${accountColumn} = ${params.add(tenant.accountId)}`;
}

/** The account that what is created belongs to. */
export function accountIdOf({ tenant }: WithTenant): string {
  if (tenant === null || tenant === 'every account') throw new Error('this operation runs within one account');
  return tenant.accountId;
}
