/** The records of suppliers: adds, changes and removes them. Keys are sealed. */
import { randomUUID } from 'node:crypto';
import { isDecimal } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import type { Environment } from '../../engines/environment.ts';
import { seal } from '../accounts/secret.ts';
import { type SupplierRow, supplierKeyPurpose } from './open-supplier.ts';

export interface SupplierSettings {
  name: string;
  /** The base of its interface; it ends in `/v3`. */
  url: string;
  apiKey: string;
  /** ISO codes. */
  countries: readonly string[];
  /** Decimal text. A negative one makes prices that are the cost. */
  markupPercent: string;
}

/** Returns the id. */
export async function createSupplier(env: Environment, settings: SupplierSettings): Promise<string> {
  const id = randomUUID();
  const row = { id, ...columnsOf(env, settings), created_at: env.clock.now() };
  await namedOnce(settings.name, () => env.db.insertInto('suppliers').values(row).execute());
  return id;
}

/** Another address or key is another account there, about which nothing is known yet. */
export async function updateSupplier(env: Environment, id: string, changes: Partial<SupplierSettings>): Promise<void> {
  const columns = columnsOf(env, changes);
  if (Object.keys(columns).length === 0) throw new OperatorError('Nothing is given that could be changed.');
  const isElsewhere = changes.url !== undefined || changes.apiKey !== undefined;
  const anew = isElsewhere ? { failures: 0, set_aside_until: null, checked_at: null } : {};
  const row = { ...columns, ...anew };
  await namedOnce(changes.name ?? '', () => env.db.updateTable('suppliers').set(row).where('id', '=', id).execute());
}

/** The log of its requests and what it offers go with it. */
export async function removeSupplier({ db }: Environment, id: string): Promise<void> {
  await db.deleteFrom('suppliers').where('id', '=', id).execute();
}

export function listSuppliers({ db }: Pick<Environment, 'db'>): Promise<SupplierRow[]> {
  return db.selectFrom('suppliers').selectAll().orderBy('name').execute();
}

const namedOnce = <T>(name: string, work: () => Promise<T>) =>
  withConstraintErrors(
    { suppliers_name: () => new OperatorError(`There is a supplier named "${name}" already.`) },
    work,
  );

function columnsOf(env: Environment, settings: SupplierSettings): Columns;
function columnsOf(env: Environment, settings: Partial<SupplierSettings>): Partial<Columns>;
function columnsOf(env: Environment, { name, url, apiKey, countries, markupPercent }: Partial<SupplierSettings>) {
  return {
    ...(name !== undefined && { name: checkedName(name) }),
    ...(url !== undefined && { url: checkedUrl(url) }),
    ...(apiKey !== undefined && { sealed_api_key: seal(env.serverKey, supplierKeyPurpose, checkedKey(apiKey)) }),
    ...(countries !== undefined && { countries: checkedCountries(countries) }),
    ...(markupPercent !== undefined && { markup_percent: checkedMarkup(markupPercent) }),
  };
}

type Columns = Pick<SupplierRow, 'name' | 'url' | 'sealed_api_key' | 'countries' | 'markup_percent'>;

function checkedName(name: string): string {
  if (/^(?=.*\S)[^\p{Cc}]{1,255}$/u.test(name)) return name;
  throw new OperatorError('A supplier has a name of 1 to 255 characters.');
}

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isWeb || url.username !== '' || url.search !== '' || url.hash !== '' || !/\/v3\/?$/.test(url.pathname)) {
    throw new OperatorError('The address of a supplier is an http or https URL that ends in /v3, without a password.');
  }
  return url.href.replace(/\/$/, '');
}

function checkedKey(key: string): string {
  if (/^[\x21-\x7e]{1,500}$/.test(key)) return key;
  throw new OperatorError('The key of a supplier is 1 to 500 printable characters without blanks.');
}

function checkedCountries(countries: readonly string[]): string[] {
  const wrong = countries.find((iso) => !/^[A-Z]{2}$/.test(iso));
  if (wrong !== undefined)
    throw new OperatorError(`"${wrong.slice(0, 20)}" is no ISO code of a country, such as "GB".`);
  if (countries.length === 0) throw new OperatorError('A supplier needs at least one country, such as "GB".');
  return [...new Set(countries)].sort();
}

function checkedMarkup(percent: string): string {
  const digits = { whole: 4, decimals: 4 };
  const isNegative = percent.startsWith('-');
  if (isDecimal(percent.replace(/^-/, ''), digits) && !(isNegative && Number(percent) <= -100)) return percent;
  throw new OperatorError('A markup is a percentage such as "20" or "-2.5", above -100.');
}
