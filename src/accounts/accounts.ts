/** Accounts: the customers of one environment. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Environment } from '../environment.ts';
import { parseAmount } from '../money/decimal.ts';
import { fund } from '../money/ledger.ts';
import { OperatorError } from '../operator-error.ts';
import { withConstraintErrors } from '../violated-constraint.ts';
import {
  type Account,
  type AccountSettings,
  asAccount,
  checkAmount,
  columnsOf,
  unsealCallbackSecret,
} from './account-columns.ts';

export interface NewAccount extends AccountSettings {
  /** Unique. */
  name: string;
  email?: string | null;
  /** Opening balance as a decimal string. */
  balance?: string;
}

export async function createAccount(env: Environment, input: NewAccount): Promise<Account> {
  const name = input.name.trim();
  if (name === '') throw new OperatorError('An account needs a name.');
  const email = input.email?.trim() || null;
  if (email !== null && !/^\S+@\S+$/.test(email)) throw new OperatorError(`"${email}" is not an e-mail address.`);
  const balance = checkAmount('balance', input.balance ?? '0');
  const createdAt = env.clock.now();
  const values = { ...(await columnsOf(env.serverKey, input)), name, email, created_at: createdAt };
  const taken = {
    accounts_name: () => new OperatorError(`There is already an account named "${name}".`),
    accounts_email_key: () => new OperatorError(`There is already an account with the e-mail address ${email}.`),
  };
  return withConstraintErrors(taken, () =>
    inTransaction(env.db, async (trx) => {
      const { id } = await trx.insertInto('accounts').values(values).returning('id').executeTakeFirstOrThrow();
      await openingBalance(trx, id, balance, createdAt);
      return asAccount(await trx.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
    }),
  );
}

/** Changes only the given settings; of features and limits only the named ones. */
export async function updateAccount(env: Environment, id: string, changes: AccountSettings): Promise<Account> {
  const { features, limits, ...columns } = await columnsOf(env.serverKey, changes);
  const row = await env.db
    .updateTable('accounts')
    .set({
      ...columns,
      features: sql<string>`features || ${features ?? '{}'}::jsonb`,
      limits: sql<string>`limits || ${limits ?? '{}'}::jsonb`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw noAccount(id);
  return asAccount(row);
}

export async function listAccounts(env: Environment): Promise<Account[]> {
  const rows = await env.db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('name').execute();
  return rows.map(asAccount);
}

/** Finds an account by id, name or e-mail address. */
export async function findAccount(env: Environment, idNameOrEmail: string): Promise<Account | null> {
  const row = await env.db
    .selectFrom('accounts')
    .selectAll()
    .where((where) =>
      where.or([
        where(sql<string>`id::text`, '=', idNameOrEmail.toLowerCase()),
        where('name', '=', idNameOrEmail),
        where('email', '=', idNameOrEmail),
      ]),
    )
    .orderBy(sql`id::text = ${idNameOrEmail.toLowerCase()}`, 'desc')
    .orderBy(sql`name = ${idNameOrEmail}`, 'desc')
    .executeTakeFirst();
  return row === undefined ? null : asAccount(row);
}

/** Like `findAccount`, but throws an error with a message for operators. */
export async function requireAccount(env: Environment, idNameOrEmail: string): Promise<Account> {
  const account = await findAccount(env, idNameOrEmail);
  if (account === null) throw noAccount(`"${idNameOrEmail}" in ${env.name}`);
  return account;
}

export const noAccount = (which: string): OperatorError => new OperatorError(`There is no account ${which}.`);

/** The secret that signs the account's callbacks, or null. */
export async function callbackSecretOf(env: Environment, accountId: string): Promise<string | null> {
  const row = await env.db
    .selectFrom('accounts')
    .select('sealed_callback_secret as sealed')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.sealed ? unsealCallbackSecret(env.serverKey, row.sealed) : null;
}

/** Books the opening balance as money from outside, like a payment. */
async function openingBalance(trx: Kysely<Schema>, accountId: string, amount: string, at: Date): Promise<void> {
  await fund(trx, { accountId, at, cause: 'opening_balance', reference: accountId }, parseAmount(amount));
}
