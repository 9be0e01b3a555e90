/** `billing_profiles` of `/panel/v1`: who the account is on its bills; one record, with the account's id. */
import { FieldError } from '../../base/fields.ts';
import { setBillingProfile } from '../../business/billing/billing-profile.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import { boolean, decimal } from '../../engines/jsonapi/attributes.ts';
import { invalid, refuse } from '../../engines/jsonapi/errors.ts';
import type { UpdateOf } from '../../engines/jsonapi/sent.ts';
import { billingAttributes, profilesOfAccounts } from '../platform/billing-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { owned, type PanelContext } from './context.ts';

const attributes = {
  ...billingAttributes,
  vat_rate: decimal({ doc: 'What is added to prices, in percent.' }),
  tax_confirmed: boolean({
    nullable: true,
    doc: 'Whether the operator has seen country and VAT id; until then a change of them never lowers the rate.',
  }),
};

export const billingProfiles = owned('billing_profiles', {
  group: 'Panel',
  noun: 'billing profile',
  summary: 'Who the account is on its bills.',
  endpoints: { list: false },
  from: () => profilesOfAccounts,
  attributes,
  update: updateProfile,
});

async function updateProfile(
  context: PanelContext,
  _id: string,
  { attributes: change }: UpdateOf<typeof attributes, object>,
): Promise<void> {
  const { accountId } = callerOf(context);
  try {
    await inTransaction(context.env.db, (db) =>
      setBillingProfile({ ...context.env, db }, accountId, { change, byOperator: false }),
    );
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    refuse(invalid.attribute(error.path, error.message));
  }
}
