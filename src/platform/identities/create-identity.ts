import { throwAny } from '../../jsonapi/errors.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { columnValues, insertRow } from '../../jsonapi/write.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { checkIdentity, type IdentityFields } from './identity-rules.ts';

export async function createIdentity(context: PlatformContext, input: WriteInput): Promise<string> {
  const values = columnValues(input);
  throwAny(checkIdentity(await wholeIdentity(context, values)));
  return insertRow(
    context,
    { table: 'identities' },
    { ...values, account_id: callerOf(context).accountId, created_at: context.now },
  );
}

/** Columns as the rules see them. */
export async function wholeIdentity(
  context: PlatformContext,
  columns: Readonly<Record<string, unknown>>,
): Promise<IdentityFields> {
  const text = (name: string): string | null => (typeof columns[name] === 'string' ? columns[name] : null);
  const countryId = text('country_id');
  const country =
    countryId === null
      ? undefined
      : await context.env.db.selectFrom('countries').select('iso').where('id', '=', countryId).executeTakeFirst();
  return {
    identity_type: columns.identity_type === 'business' ? 'business' : 'personal',
    company_name: text('company_name'),
    company_reg_number: text('company_reg_number'),
    vat_id: text('vat_id'),
    country_iso: country?.iso ?? null,
  };
}
