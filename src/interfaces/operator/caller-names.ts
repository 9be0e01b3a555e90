/** The operator's own list of callers' names, which trunks with `cnam_lookup` get. */

import { OperatorError } from '../../base/operator-error.ts';
import { setCallerName } from '../../business/voice/names/listed-names.ts';
import { text } from '../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { anyId, anyOf, contains } from '../../engines/jsonapi/filters.ts';
import { type Acting, act } from './act.ts';
import { actingOf, type OperatorContext, operatorType, refusing } from './context.ts';
import { whyChanged } from './peers/shared-members.ts';

export const callerNames = operatorType('caller_names', {
  group: 'Calls',
  noun: 'name of a caller',
  deleteVerb: 'Remove',
  summary: 'Names of callers, shown to trunks with `cnam_lookup`. They go before those of the name service.',
  attributes: {
    number: text({ write: 'create', required: true, pattern: '^[0-9]{3,15}$', doc: 'Digits of the caller.' }),
    name: text({ write: 'both', required: true, doc: 'At most 80 characters are shown.' }),
    ...whyChanged,
  },
  filters: { id: anyId('t.id'), number: anyOf('t.number'), name: contains('t.name') },
  sort: ['number', 'name'],
  defaultSort: 'number',
  create: async (context, { attributes: { number, name, reason } }) => {
    await refusing(() => addName(actingOf(context, reason), number, name));
    return (await rowOf(context, 'number', number)).id;
  },
  update: async (context, id, { attributes: { name, reason } }) => {
    if (name === undefined) return;
    const { number } = await rowOf(context, 'id', id);
    await refusing(() => changeCallerName(actingOf(context, reason), number, name));
  },
  delete: async (context, id) => {
    const { number } = await rowOf(context, 'id', id);
    await refusing(() => changeCallerName(actingOf(context), number, null));
  },
});

/** Stores or removes a name, with its entry in the audit log. */
export function changeCallerName(acting: Acting, number: string, name: string | null): Promise<void> {
  return act(acting, async (env) => ({
    ...{ result: undefined, action: 'caller_name.changed' as const, accountId: null },
    subject: { type: 'caller_names', id: number.replace(/^\+/, '') },
    before: { name: await setCallerName(env, number, name) },
    after: { name },
  }));
}

async function addName(acting: Acting, number: string, name: string): Promise<void> {
  const known = acting.env.db.selectFrom('caller_names').select('id').where('number', '=', number);
  if ((await known.executeTakeFirst()) !== undefined) {
    throw new OperatorError('The number has a name already: change it, or remove it.');
  }
  await changeCallerName(acting, number, name);
}

async function rowOf({ env }: OperatorContext, column: 'id' | 'number', value: string) {
  const row = await env.db.selectFrom('caller_names').selectAll().where(column, '=', value).executeTakeFirst();
  if (row === undefined) throw new ApiError([errors.recordNotFound(value)]);
  return row;
}
