/** The operator's own list of callers' names, as a provider; and how it is kept. */

import { OperatorError } from '../../../base/operator-error.ts';
import type { Environment } from '../../../engines/environment.ts';
import { cleanName, type NameProvider } from './name-provider.ts';

export const listedNames = ({ db }: Environment): NameProvider => ({
  name: 'own list',
  isCached: false,
  nameOf: async (number) =>
    (await db.selectFrom('caller_names').select('name').where('number', '=', number).executeTakeFirst())?.name ?? null,
});

/** Stores the name of a number, or removes it. Returns the name it had before. */
export async function setCallerName({ db }: Environment, number: string, name: string | null): Promise<string | null> {
  const digits = number.replace(/^\+/, '');
  if (!/^\d{3,15}$/.test(digits)) throw new OperatorError(`"${number}" is not a number of 3 to 15 digits.`);
  const known = await db.selectFrom('caller_names').select('name').where('number', '=', digits).executeTakeFirst();
  if (name === null) {
    if (known === undefined) throw new OperatorError(`There is no name for ${digits}.`);
    await db.deleteFrom('caller_names').where('number', '=', digits).execute();
    return known.name;
  }
  const cleaned = cleanName(name);
  if (cleaned === null) throw new OperatorError('A name has at least one character that can be shown.');
  await db
    .insertInto('caller_names')
    .values({ number: digits, name: cleaned })
    .onConflict((conflict) => conflict.column('number').doUpdateSet({ name: cleaned }))
    .execute();
  return known?.name ?? null;
}
