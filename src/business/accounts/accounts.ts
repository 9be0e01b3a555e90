/** Accounts: the customers of one environment. */
import { type Kysely, sql } from 'kysely';
import { OperatorError } from '../../base/operator-error.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import type { Schema } from '../../engines/db/schema.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { parseAmount } from '../money/decimal.ts';
import { fund } from '../money/ledger.ts';
import {
  type Account,
  type AccountSettings,
  asAccount,
  checkAmount,
  columnsOf,
  takenBy,
  unsealCallbackSecret,
} from './account-columns.ts';

export interface NewAccount extends AccountSettings {
  name: string;
  /** Opening balance as a decimal string. */
  balance?: string;
}

export async function createAccount(env: Environment, input: NewAccount): Promise<Account> {
  const balance = checkAmount('balance', input.balance ?? '0');
  const createdAt = env.clock.now();
  const values = { name: input.name, ...(await columnsOf(env.serverKey, input)), created_at: createdAt };
  return withConstraintErrors(takenBy(input), () =>
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
  const row = await withConstraintErrors(takenBy(changes), () =>
    env.db
      .updateTable('accounts')
      .set({
        ...columns,
        features: sql<string>`features || ${features ?? '{}'}::jsonb`,
        limits: sql<string>`limits || ${limits ?? '{}'}::jsonb`,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),
  );
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

/** A suspended or closed account gets no new key, and no other way in. */
export async function requireActive({ db }: Pick<Environment, 'db'>, accountId: string): Promise<void> {
  const row = await db
    .selectFrom('accounts')
    .select(['name', 'suspended_at', 'closed_at'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  if (row?.suspended_at == null) return;
  throw new OperatorError(
    `${row.name} is ${row.closed_at === null ? 'suspended' : 'closed'} and gets no new credentials.`,
  );
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
