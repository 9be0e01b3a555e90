/** `account billing`: who a customer is on bills. */
import { FieldError } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { type BillingProfileChange, findBillingProfile } from '../../business/billing/billing-profile.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { changeBillingProfile } from '../../interfaces/operator/money/billing-profiles.ts';
import { reasonOption } from './change-command.ts';
import { environmentCommand } from './open-environment.ts';

const members = {
  kind: { type: 'string', value: 'company|person', summary: 'who buys' },
  name: { type: 'string', value: 'TEXT', summary: 'full name' },
  street: { type: 'string', value: 'TEXT', summary: 'street and house number' },
  'postal-code': { type: 'string', value: 'TEXT', summary: 'where the country has them' },
  city: { type: 'string', value: 'TEXT', summary: 'city' },
  country: { type: 'string', value: 'CODE', summary: 'ISO 3166, such as DE' },
  'vat-id': { type: 'string', value: 'ID', summary: 'of a company; empty for none' },
  email: { type: 'string', value: 'ADDRESS', summary: 'gets bills; empty for none' },
  'purchase-order': { type: 'string', value: 'TEXT', summary: 'printed on bills; empty for none' },
} as const;

export const accountBillingCommands = [
  environmentCommand({
    name: 'account billing',
    summary: 'Show or change who an account is on bills; a change confirms what its VAT depends on.',
    positionals: ['ACCOUNT'],
    options: { ...members, ...reasonOption, json: { type: 'boolean', summary: 'print JSON' } },
    run: async ({ env, values, positionals: [wanted = ''], out }) => {
      const account = await requireAccount(env, wanted);
      const given: BillingProfileChange = {
        ...{
          kind: values.kind,
          name: values.name,
          street: values.street,
          postal_code: values['postal-code'],
          city: values.city,
        },
        ...{ country: values.country, vat_id: values['vat-id'], email: values.email },
        purchase_order: values['purchase-order'],
      };
      const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      if (Object.keys(change).length > 0) await changed(atCommandLine(env, values.reason), account.id, change);
      const profile = await findBillingProfile(env.db, account.id);
      if (values.json) return out(JSON.stringify(profile ?? null));
      if (profile === undefined) return out(`${account.name} has no billing profile.`);
      const { vat_rate } = await env.db
        .selectFrom('accounts')
        .select('vat_rate')
        .where('id', '=', account.id)
        .executeTakeFirstOrThrow();
      for (const [name, value] of Object.entries({ ...profile, vat_rate })) {
        if (name in change || value !== null) out(`${name}: ${value instanceof Date ? value.toISOString() : value}`);
      }
    },
  }),
];

async function changed(...given: Parameters<typeof changeBillingProfile>): Promise<void> {
  try {
    await changeBillingProfile(...given);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new OperatorError(`--${error.path.replaceAll('_', '-')} ${error.message}.`);
  }
}
