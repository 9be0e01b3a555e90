/**
 * Reads what `POST /sandbox/v1/seed` is sent: members of a sandbox section of the bootstrap file, without operators and
 * carriers. Ten thousand entries are checked in slices, since production may be served by the same process.
 */
import { at, type Field, FieldError, nullable, object, oneOf, unique, withDefault } from '../../base/fields.ts';
import { inSlices } from '../../base/slices.ts';
import {
  accountMembers,
  accountName,
  amount,
  type BootstrapAccount,
  type BootstrapSection,
  defaultBalances,
} from './parse.ts';
import { type AccountSeeds, entryOf, sentList } from './seeds.ts';

export interface Seed extends Pick<BootstrapSection, 'catalogue' | 'numbers'> {
  accounts: SeedAccount[];
}

/** A balance that is given is set, also if the account exists. */
export interface SeedAccount extends Omit<BootstrapAccount, 'balance'> {
  balance: string | null;
}

type SentLists<T> = { [K in keyof T]-?: unknown[] | undefined };

const outline = object<{ catalogue: 'demo' | null; numbers: unknown[] | undefined; accounts: unknown[] | undefined }>({
  catalogue: nullable(oneOf('demo')),
  numbers: sentList,
  accounts: sentList,
});

type SentAccount = Omit<SeedAccount, keyof AccountSeeds> & SentLists<AccountSeeds>;

/** An account without a name is `ownAccount`. */
export async function parseSeed(value: unknown, ownAccount: string): Promise<Seed> {
  try {
    return await readSeed(value, ownAccount);
  } catch (error) {
    // Do not repeat the value: it may be a secret.
    throw error instanceof FieldError ? new FieldError(`${error.path || 'the seed'} ${error.message}`) : error;
  }
}

async function readSeed(value: unknown, ownAccount: string): Promise<Seed> {
  const { catalogue, ...sent } = outline(value);
  const numbers = await readList('numbers', sent.numbers, entryOf.stock);
  const account = object<SentAccount>({
    ...accountMembers(defaultBalances.sandbox),
    ...{ numbers: sentList, calls: sentList, verifications: sentList },
    name: withDefault(accountName, ownAccount),
    balance: nullable(amount),
  });
  const known = (await readList('accounts', sent.accounts, account)) ?? [];
  at('accounts', () =>
    unique(
      unique<SentAccount>(() => known, 'name'),
      'email',
    )(known),
  );
  const accounts: SeedAccount[] = [];
  for (const [index, { numbers, calls, verifications, ...members }] of known.entries()) {
    const of = `accounts[${index}]`;
    accounts.push({
      ...members,
      numbers: await readList(`${of}.numbers`, numbers, entryOf.numbers),
      calls: await readList(`${of}.calls`, calls, entryOf.calls),
      verifications: await readList(`${of}.verifications`, verifications, entryOf.verifications),
    });
  }
  return { catalogue, numbers, accounts };
}

async function readList<T>(path: string, sent: unknown[] | undefined, entry: Field<T>): Promise<T[] | undefined> {
  if (sent === undefined) return undefined;
  const read: T[] = [];
  await inSlices(sent, (value, index) => {
    read.push(at(`${path}[${index}]`, () => entry(value)));
  });
  return read;
}
