/** Who a customer is on bills, and the VAT rate that follows from it where the seller's country is set. */
import type { Kysely, Selectable } from 'kysely';
import { isEmailAddress } from '../../base/email-address.ts';
import { FieldError } from '../../base/fields.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { BillingProfilesTable } from '../../engines/db/tables/bills.ts';
import type { Environment } from '../../engines/environment.ts';
import { noAccount, updateAccount } from '../accounts/accounts.ts';
import { taxRateFor } from './tax-rules.ts';
import { isVatNumberOf } from './vat-numbers.ts';

type BillingProfile = Omit<Selectable<BillingProfilesTable>, 'account_id' | 'updated_at' | 'tax_confirmed'>;
export type BillingProfileChange = { [K in keyof BillingProfile]?: string | null | undefined };

const members = {
  ...{ kind: 20, name: 200, street: 300, postal_code: 20, city: 100, country: 2 },
  ...{ vat_id: 30, email: 254, purchase_order: 100 },
} as const satisfies Record<keyof BillingProfile, number>;
const names = Object.keys(members) as (keyof BillingProfile)[];
const required = ['kind', 'name', 'street', 'city', 'country'] as const;

export function findBillingProfile(db: Kysely<Schema>, accountId: string) {
  return db.selectFrom('billing_profiles').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

interface ProfileWrite {
  change: BillingProfileChange;
  /** An operator vouches for what the tax depends on. */
  byOperator: boolean;
}

/** Changes what is given, inside the caller's transaction. A FieldError names the member that is wrong in its path. */
export async function setBillingProfile(
  env: Environment,
  accountId: string,
  { change, byOperator }: ProfileWrite,
): Promise<void> {
  const { db } = env;
  const lock = db.selectFrom('accounts').select('vat_rate').where('id', '=', accountId).forNoKeyUpdate();
  const account = await lock.executeTakeFirst();
  if (account === undefined) throw noAccount(accountId);
  const before = await findBillingProfile(db, accountId);
  const profile = await checkedProfile({ ...before, ...withoutUnset(change) });
  const isSameTax =
    before !== undefined && (['kind', 'country', 'vat_id'] as const).every((name) => before[name] === profile[name]);
  const tax_confirmed = byOperator || (isSameTax && before.tax_confirmed);
  const row = { ...profile, tax_confirmed, updated_at: env.clock.now() };
  await db
    .insertInto('billing_profiles')
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute();
  if (env.seller.country === null || (isSameTax && before.tax_confirmed === tax_confirmed)) return;
  const vatRate = taxRateFor(env.seller.country, profile);
  if (vatRate === null || Number(vatRate) === Number(account.vat_rate)) return;
  if (tax_confirmed || Number(vatRate) > Number(account.vat_rate)) await updateAccount(env, accountId, { vatRate });
}

const withoutUnset = (change: BillingProfileChange) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

/** Without blanks around texts; empty ones are null. */
async function checkedProfile(given: BillingProfileChange): Promise<BillingProfile> {
  const texts: Partial<Record<keyof BillingProfile, string | null>> = {};
  for (const name of names) {
    const text = given[name]?.trim() ?? '';
    if (text.length > members[name]) throw wrong(name, `must have at most ${members[name]} characters`);
    if (/\p{Cc}/u.test(name === 'street' ? text.replaceAll('\n', '') : text)) {
      throw wrong(name, 'must not have control characters');
    }
    texts[name] = text === '' ? null : text;
  }
  for (const name of required) if (texts[name] == null) throw wrong(name, 'is needed on bills');
  const { name = '', street = '', city = '', postal_code = null, email = null, purchase_order = null } = texts;
  const kind = texts.kind === 'company' ? 'company' : 'person';
  if (texts.kind !== kind) throw wrong('kind', 'must be company or person');
  const country = (texts.country ?? '').toUpperCase();
  if (!isCountry(country)) throw wrong('country', 'must be the ISO 3166 code of a country, such as DE');
  if (email !== null && !isEmailAddress(email)) throw wrong('email', 'must be an e-mail address');
  const vat_id = texts.vat_id == null ? null : await checkedVatId(texts.vat_id, country);
  if (vat_id !== null && kind === 'person') throw wrong('vat_id', 'belongs to a company');
  return {
    ...{ kind, name: name ?? '', street: street ?? '', city: city ?? '', postal_code, country },
    ...{ vat_id, email, purchase_order },
  };
}

/** In the form of invoices: with the prefix that the EU uses, where it is one of hers. */
async function checkedVatId(text: string, country: string): Promise<string> {
  const number = text.replace(/[\s.,/-]/g, '').toUpperCase();
  if (!(await isVatNumberOf(number, country))) throw wrong('vat_id', `is no VAT id of ${country}`);
  const prefix = country === 'GR' ? 'EL' : country;
  if (country === 'GB' && number.startsWith('XI')) return number;
  const bare = [prefix, country].find((start) => number.startsWith(start));
  return `${prefix}${bare === undefined ? number : number.slice(bare.length)}`;
}

/** What `Intl` calls regions beside countries. */
const otherRegions = ['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'];
const regionNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

const isCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) && !otherRegions.includes(code) && regionNames.of(code) !== undefined;

const wrong = (path: keyof BillingProfile, message: string) => new FieldError(message, { path });
