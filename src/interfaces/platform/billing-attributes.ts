/** What the panel and operators write of a billing profile. */
import { text } from '../../engines/jsonapi/attributes.ts';

const optional = { write: 'update', nullable: true } as const;

export const billingAttributes = {
  kind: text({
    ...optional,
    values: { company: 'May have a VAT id.', person: 'Has none.' },
    doc: 'Who buys.',
  }),
  name: text({ ...optional, maxLength: 200, doc: 'The full name of the company or person.' }),
  street: text({ ...optional, maxLength: 300, doc: 'Street and house number; further lines after line breaks.' }),
  postal_code: text({ ...optional, maxLength: 20, doc: 'Where the country has them.' }),
  city: text({ ...optional, maxLength: 100, doc: 'The city.' }),
  country: text({ ...optional, maxLength: 2, doc: 'ISO 3166 code, such as `DE`.' }),
  vat_id: text({ ...optional, maxLength: 30, doc: 'Of a company; its check digits have to be right.' }),
  email: text({ ...optional, maxLength: 254, doc: 'Gets invoices and credit notes.' }),
  purchase_order: text({ ...optional, maxLength: 100, doc: "The customer's reference, printed on every invoice." }),
};

/** A row for every account, whether or not it has a profile. */
export const profilesOfAccounts = `(select a.id, a.id as account_id, a.vat_rate, b.kind, b.name, b.street,
  b.postal_code, b.city, b.country, b.vat_id, b.email, b.purchase_order, b.tax_confirmed, b.updated_at
  from accounts a left join billing_profiles b on b.account_id = a.id) t`;
