/** Notes that operators write about a customer, for each other. */
import { randomUUID } from 'node:crypto';
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { dateTime, freeText, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween } from '../lookups/shared-filters.ts';

export const accountNotes = operatorType('account_notes', {
  group: 'Accounts',
  noun: 'note',
  deleteVerb: 'Remove',
  summary: 'A note about a customer that only operators see.',
  attributes: {
    text: freeText({ write: 'create', required: true, doc: 'What colleagues should know.' }),
    actor: text({ doc: 'Who wrote it.' }),
    created_at: dateTime({ doc: 'When.' }),
  },
  relationships: { account: toOne('accounts', { write: 'create', required: true, doc: 'Whom it is about.' }) },
  filters: { 'account.id': anyId('t.account_id'), actor: anyOf('t.actor'), ...createdBetween },
  sort: ['created_at'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }) =>
    refusing(() => writeNote(actingOf(context), relationships.account.id, attributes.text)),
  delete: (context, id) => refusing(() => removeNote(actingOf(context), id)),
});

/** Returns the id. The audit log does not repeat the text, which may be personal data. */
export function writeNote(acting: Acting, accountId: string, text: string): Promise<string> {
  if (text.trim() === '') throw new OperatorError('A note has a text.');
  return act(acting, async ({ db, clock }) => {
    const id = randomUUID();
    const row = { id, account_id: accountId, text, actor: nameOf(acting.by), created_at: clock.now() };
    await db.insertInto('account_notes').values(row).execute();
    return { result: id, action: 'account_note.created', accountId, subject: { type: 'account_notes', id } };
  });
}

function removeNote(acting: Acting, id: string): Promise<void> {
  return act(acting, async ({ db }) => {
    const removed = await db
      .deleteFrom('account_notes')
      .where('id', '=', id)
      .returning('account_id')
      .executeTakeFirst();
    if (removed === undefined) throw new OperatorError(`There is no note ${id}.`);
    const subject = { type: 'account_notes', id };
    return { result: undefined, action: 'account_note.removed', accountId: removed.account_id, subject };
  });
}
