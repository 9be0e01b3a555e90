/** The billing profiles of customers, as operators see, change and confirm them. */
import { FieldError } from '../../../base/fields.ts';
import { type BillingProfileChange, setBillingProfile } from '../../../business/billing/billing-profile.ts';
import { boolean, dateTime, decimal } from '../../../engines/jsonapi/attributes.ts';
import { ApiError, invalid } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf, flag } from '../../../engines/jsonapi/filters.ts';
import type { UpdateOf } from '../../../engines/jsonapi/sent.ts';
import { billingAttributes, profilesOfAccounts } from '../../platform/billing-attributes.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, type OperatorContext, operatorType, refusing } from '../context.ts';
import { account, partOfText } from '../lookups/shared-filters.ts';

const attributes = {
  ...billingAttributes,
  vat_rate: decimal({ doc: 'What is added to the prices of the customer, in percent.' }),
  tax_confirmed: boolean({
    nullable: true,
    doc: 'Whether an operator has seen country and VAT id; any change by an operator confirms them. Until then a change by the customer never lowers the rate. Null without a profile.',
  }),
  updated_at: dateTime({ nullable: true, doc: 'When it was changed last.' }),
};

export const billingProfiles = operatorType('billing_profiles', {
  group: 'Money',
  noun: 'billing profile',
  summary:
    'Who a customer is on bills; its id is that of the account. Where the country of the seller is set, the VAT rate of the account follows from it.',
  from: () => profilesOfAccounts,
  attributes,
  relationships: { account },
  filters: {
    id: anyId('t.id'),
    'account.id': anyId('t.account_id'),
    country: anyOf('t.country'),
    name_contains: partOfText('the name', 't.name'),
    is_complete: flag('t.country is not null'),
    is_tax_confirmed: flag('t.tax_confirmed'),
  },
  sort: ['name', 'updated_at'],
  defaultSort: 'name',
  update: (context: OperatorContext, id: string, input: UpdateOf<typeof attributes, object>) =>
    refusing(() => atMember(() => changeBillingProfile(actingOf(context), id, input.attributes))),
});

/** For operators at either end; the audit log holds neither names nor addresses. */
export function changeBillingProfile(acting: Acting, accountId: string, change: BillingProfileChange): Promise<void> {
  return act(acting, async (env) => {
    const rate = async () => {
      const row = env.db.selectFrom('accounts').select('vat_rate').where('id', '=', accountId);
      return (await row.executeTakeFirst())?.vat_rate ?? null;
    };
    const before = await rate();
    await setBillingProfile(env, accountId, { change, byOperator: true });
    const changed = Object.keys(change).map((name) => [name, 'changed']);
    return {
      ...{ result: undefined, action: 'billing_profile.updated', accountId },
      subject: { type: 'billing_profiles', id: accountId },
      before: { vat_rate: before },
      after: { ...Object.fromEntries(changed), vat_rate: await rate() },
    };
  });
}

async function atMember<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FieldError) throw new ApiError([invalid.attribute(error.path, error.message)]);
    throw error;
  }
}
