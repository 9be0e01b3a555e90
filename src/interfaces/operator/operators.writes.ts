/** Operators and their keys: adding, changing, removing. */
import { sql } from 'kysely';
import { OperatorError } from '../../base/operator-error.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import { checkEmail } from '../../business/accounts/account-columns.ts';
import { newKey } from '../../business/accounts/api-keys.ts';
import { hashPassword } from '../../business/accounts/passwords.ts';
import { scheduleSecurityNotice } from '../../business/mail/security-notice.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import type { Environment } from '../../engines/environment.ts';
import { type Acting, act } from './act.ts';

type NewOperator = {
  email: string;
  role: OperatorRole;
  /** Of the panel; at least 12 characters. */
  password?: string | null;
};

export async function createOperator(acting: Acting, input: NewOperator): Promise<string> {
  const email = checkEmail(input.email);
  const password_hash = input.password ? await hashPassword(input.password) : null;
  const taken = { operators_email: () => new OperatorError(`There is already an operator ${email}.`) };
  return withConstraintErrors(taken, () =>
    act(acting, async (env) => {
      const values = { email, role: input.role, password_hash, created_at: env.clock.now() };
      const { id } = await env.db.insertInto('operators').values(values).returning('id').executeTakeFirstOrThrow();
      const after = { email, role: input.role };
      return { result: id, action: 'operator.created', accountId: null, subject: { type: 'operators', id }, after };
    }),
  );
}

type OperatorChanges = {
  role?: OperatorRole;
  password?: string;
};

export async function updateOperator(acting: Acting, id: string, changes: OperatorChanges): Promise<void> {
  const password_hash = changes.password === undefined ? undefined : await hashPassword(changes.password);
  await act(acting, async (env) => {
    const before = await lockOperator(env, id);
    const role = changes.role ?? before.role;
    if (before.role === 'owner' && role !== 'owner') await requireAnotherOwner(env, id);
    await env.db
      .updateTable('operators')
      .set({ role, ...(password_hash === undefined ? {} : { password_hash }) })
      .where('id', '=', id)
      .execute();
    const after = { role, ...(password_hash === undefined ? {} : { password: 'changed' }) };
    if (password_hash !== undefined) {
      const source = acting.source ?? 'elsewhere';
      await scheduleSecurityNotice(
        env.db,
        env,
        { email: before.email, accountId: null },
        { change: 'password', source },
      );
    }
    return {
      result: undefined,
      action: 'operator.updated',
      accountId: null,
      subject: { type: 'operators', id },
      before: { role: before.role },
      after,
    };
  });
}

export async function removeOperator(acting: Acting, id: string): Promise<void> {
  await act(acting, async (env) => {
    const { email, role } = await lockOperator(env, id);
    if (role === 'owner') await requireAnotherOwner(env, id);
    await env.db.deleteFrom('operators').where('id', '=', id).execute();
    const before = { email, role };
    return {
      result: undefined,
      action: 'operator.removed',
      accountId: null,
      subject: { type: 'operators', id },
      before,
    };
  });
}

export type NewOperatorKey = {
  name: string;
  key?: string;
  allowedIps?: readonly string[];
};

/** Returns the plain key, which is stored nowhere. */
export function createOperatorKey(
  acting: Acting,
  operatorId: string,
  input: NewOperatorKey,
): Promise<{ id: string; key: string }> {
  const { key, columns } = newKey(acting.env, 'tlo', input);
  const refused = {
    operator_keys_key_hash_key: () => new OperatorError('This key exists already.'),
    operator_keys_operator_id_fkey: () => noOperator(operatorId),
  };
  return withConstraintErrors(refused, () =>
    act(acting, async (env) => {
      const { id } = await env.db
        .insertInto('operator_keys')
        .values({ operator_id: operatorId, ...columns })
        .returning('id')
        .executeTakeFirstOrThrow();
      const after = { operator: operatorId, name: columns.name, allowed_ips: [...(input.allowedIps ?? [])] };
      return {
        result: { id, key },
        action: 'operator_key.created',
        accountId: null,
        subject: { type: 'operator_keys', id },
        after,
      };
    }),
  );
}

/** Takes effect at once in every process. */
export async function revokeOperatorKey(acting: Acting, id: string): Promise<void> {
  await act(acting, async (env) => {
    const revoked = await env.db
      .updateTable('operator_keys')
      .set({ revoked_at: env.clock.now() })
      .where(sql<string>`id::text`, '=', id.toLowerCase())
      .where('revoked_at', 'is', null)
      .returning(['operator_id', 'name'])
      .executeTakeFirst();
    if (revoked === undefined) throw new OperatorError(`There is no operator key ${id} that could be revoked.`);
    return {
      result: undefined,
      action: 'operator_key.revoked',
      accountId: null,
      subject: { type: 'operator_keys', id },
      before: { operator: revoked.operator_id, name: revoked.name },
    };
  });
}

/** By id or e-mail address. */
export async function requireOperator(env: Environment, idOrEmail: string) {
  const found = await env.db
    .selectFrom('operators')
    .selectAll()
    .where((where) =>
      where.or([
        where(sql<string>`id::text`, '=', idOrEmail.toLowerCase()),
        where(sql<string>`lower(email)`, '=', idOrEmail.toLowerCase()),
      ]),
    )
    .executeTakeFirst();
  if (found === undefined) throw noOperator(`"${idOrEmail}" in ${env.name}`);
  return found;
}

const noOperator = (which: string) => new OperatorError(`There is no operator ${which}.`);

async function lockOperator({ db }: Environment, id: string) {
  const found = await db.selectFrom('operators').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (found === undefined) throw noOperator(id);
  return found;
}

/**
 * Without an owner nobody could add operators over HTTP any more. Locks the other owners, so that two cannot go at
 * once.
 */
async function requireAnotherOwner({ db }: Environment, id: string): Promise<void> {
  const other = await db
    .selectFrom('operators')
    .select('id')
    .where('role', '=', 'owner')
    .where('id', '<>', id)
    .orderBy('id')
    .forUpdate()
    .executeTakeFirst();
  if (other === undefined) throw new OperatorError('The last owner stays; make another operator an owner first.');
}
