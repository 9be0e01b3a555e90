/**
 * Exporting and erasing the personal data of an account on request, with proof of what was erased and what was kept.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { nameOf } from '../../base/actor.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { isUuid } from '../../base/uuid.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import { findAccount, noAccount } from '../../business/accounts/accounts.ts';
import { runIn } from '../../engines/db/transaction.ts';
import { dateTime, integer, list, plainObject, text } from '../../engines/jsonapi/attributes.ts';
import { toOne } from '../../engines/jsonapi/declare.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { anyId } from '../../engines/jsonapi/filters.ts';
import { strictObject } from '../../engines/openapi/schema.ts';
import type { Schema } from '../../engines/openapi/types.ts';
import { type Acting, act } from './act.ts';
import { actingOf, operatorType, refusing } from './context.ts';
import { createdBetween, partOfText } from './lookups/shared-filters.ts';
import { type ContextOf, ownMedia, parametersOf } from './own-route.ts';
import { keptData, personalData } from './personal-data.ts';

const count: Schema = { type: 'integer' };

export const erasures = operatorType('erasures', {
  group: 'Accounts',
  noun: 'erasure',
  summary: 'The personal data of a closed account was erased: what, and what had to be kept and why.',
  attributes: {
    reason: text({ write: 'create', required: true, doc: 'Why, such as the request of the person.' }),
    erased: plainObject('erased_data', {}, { anyMember: count, doc: 'How many records of each kind were erased.' }),
    kept: plainObject(
      'kept_data',
      {},
      {
        anyMember: strictObject({ count, why: { type: 'string' } }),
        doc: 'How many records of each kind were kept, and why.',
      },
    ),
    objects: list(
      { type: 'string' },
      {
        column: 't.object_keys',
        doc: 'Files that lay in object storage, by their keys there; they are deleted with their records.',
      },
    ),
    objects_left: integer({
      column: `(select count(*)::int from unnest(t.object_keys) k
        where has_job('object:' || k))`,
      doc: 'How many of them the storage has not deleted yet; tried again until it has.',
    }),
    actor: text({ doc: 'Who did it.' }),
    created_at: dateTime({ doc: 'When.' }),
  },
  relationships: { account: toOne('accounts', { write: 'create', required: true, doc: 'Whose data.' }) },
  filters: {
    reason_contains: partOfText('the reason', 't.reason'),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }) =>
    refusing(() => eraseAccount(actingOf(context), relationships.account.id, attributes.reason)),
});

/**
 * Returns the erasure's id. The account must be closed, and its numbers gone: their registrations are needed until
 * then.
 */
export function eraseAccount(acting: Acting, accountId: string, reason: string): Promise<string> {
  if (reason.trim() === '') throw new OperatorError('A reason is needed.');
  const done = () => new OperatorError('The personal data of this account was erased already.');
  return withConstraintErrors({ erasures_account: done }, () =>
    act({ ...acting, reason }, async ({ db, clock }) => {
      const query = runIn(db);
      const [account] = await query('select closed_at from accounts where id = $1 for update', [accountId]);
      if (account === undefined) throw noAccount(accountId);
      if (account.closed_at === null) throw new OperatorError('Close the account first.');
      const [numbers] = await query('select count(*)::int as n from dids where account_id = $1', [accountId]);
      if (Number(numbers?.n) > 0) throw new OperatorError('The account has numbers until their paid period ends.');
      const [id, at] = [randomUUID(), clock.now()];
      const kept: Record<string, { count: number; why: string }> = {};
      for (const { what, why, count } of keptData) {
        const [row] = await query(count, [accountId]);
        kept[what] = { count: Number(row?.n ?? 0), why };
      }
      const objects = await query(
        `select object_key from stored_files where account_id = $1 and object_key is not null
         union all select object_key from exports where account_id = $1 and object_key is not null`,
        [accountId],
      );
      const erased: Record<string, number> = {};
      for (const { what, export: select, erase } of personalData) {
        const [found] = select === null ? [] : await query(`select count(*)::int as n from (${select}) t`, [accountId]);
        let rows: unknown[] = [];
        for (const statement of erase) {
          rows = await query(`${statement} returning 1`, statement.includes('$2') ? [accountId, at] : [accountId]);
        }
        erased[what] = Number(found?.n ?? rows.length);
      }
      const row = { id, account_id: accountId, reason, actor: nameOf(acting.by), created_at: at };
      const proof = {
        erased: JSON.stringify(erased),
        kept: JSON.stringify(kept),
        object_keys: objects.map((object) => String(object.object_key)),
      };
      await db
        .insertInto('erasures')
        .values({ ...row, ...proof })
        .execute();
      return { result: id, action: 'account.erased', accountId, subject: { type: 'erasures', id }, after: erased };
    }),
  );
}

/** Everything about the persons behind an account, for a request to see it. The export itself is in the audit log. */
export function personalDataRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/personal_data', { config: ownMedia('personal_data') }, async (request, reply) => {
    const context = contextOf(request);
    const { account } = parametersOf(request, 'account');
    const found = isUuid(account) ? await findAccount(context.env, account) : undefined;
    if (!found) throw new ApiError([errors.recordNotFound(account)]);
    const exported = await act(actingOf(context), async ({ db }) => {
      const query = runIn(db);
      const parts: Record<string, unknown[]> = {};
      for (const { what, export: select } of personalData) {
        if (select !== null) parts[what] = await query(select, [found.id]);
      }
      const after = Object.fromEntries(Object.entries(parts).map(([what, rows]) => [what, rows.length]));
      const subject = { type: 'accounts', id: found.id };
      return { result: parts, action: 'account.exported', accountId: found.id, subject, after };
    });
    return reply.header('cache-control', 'no-store').send({ account_id: found.id, data: exported });
  });
}
