/** The form of a billing profile, for customers and operators. */
import type { Field, FieldValues } from './fields.tsx';

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
const others = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);
const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));

/** Every country of ISO 3166 by its name. */
const countries = letters
  .flatMap((first) => letters.map((second) => first + second))
  .flatMap((value) => {
    const label = others.has(value) ? undefined : names.of(value);
    return label === undefined ? [] : [{ value, label: `${label} (${value})` }];
  })
  .sort((a, b) => a.label.localeCompare(b.label));

const isCompany = ({ kind }: FieldValues) => kind === 'company';

export const billingFields: readonly Field[] = [
  {
    name: 'kind',
    label: 'Who buys',
    kind: 'select',
    required: true,
    options: [
      { value: 'company', label: 'A company' },
      { value: 'person', label: 'A person' },
    ],
  },
  { name: 'name', label: 'Full name', required: true },
  { name: 'street', label: 'Street and house number', required: true, kind: 'area' },
  { name: 'postal_code', label: 'Postal code' },
  { name: 'city', label: 'City', required: true },
  { name: 'country', label: 'Country', kind: 'select', options: countries, required: true },
  {
    name: 'vat_id',
    label: 'VAT id',
    about: 'With the prefix of the country, such as DE136695976. Its check digits are tested.',
    when: isCompany,
  },
  { name: 'email', label: 'E-mail address for bills', about: 'Gets invoices and credit notes as files.' },
  { name: 'purchase_order', label: 'Your reference', about: 'Such as a purchase order; printed on every invoice.' },
];

/** What the form begins with. */
export function billingValues(attributes: object): FieldValues {
  const stored = new Map<string, unknown>(Object.entries(attributes));
  const textOf = (name: string) => {
    const value = stored.get(name);
    return typeof value === 'string' ? value : null;
  };
  const values = billingFields.map(({ name }) => [name, textOf(name)]);
  return { ...Object.fromEntries(values), kind: textOf('kind') ?? 'company' };
}

/** A person has no VAT id, also where a company had one before. */
export const billingWrite = (sent: Record<string, unknown>) =>
  sent.kind === 'person' ? { ...sent, vat_id: null } : sent;
