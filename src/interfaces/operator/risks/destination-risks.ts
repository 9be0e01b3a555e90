/** Which class of destinations a prefix belongs to. */

import { OperatorError } from '../../../base/operator-error.ts';
import { removePrefixRisk, setPrefixRisk } from '../../../business/voice/risks.ts';
import { text } from '../../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, type OperatorContext, operatorType, refusing } from '../context.ts';
import { whyChanged } from '../peers/shared-members.ts';

export const riskTexts = {
  standard: 'As numbers without a prefix here.',
  elevated: 'Expensive, or often used for fraud.',
  high: 'Premium rate, satellites, destinations that are known for fraud.',
};

export const destinationRisks = operatorType('destination_risks', {
  group: 'Calls',
  noun: 'prefix of a risk class',
  deleteVerb: 'Remove',
  summary:
    'Which class of destinations numbers belong to: the longest prefix counts. `risk_limits` bound what they may cost in a day.',
  attributes: {
    prefix: text({ write: 'create', required: true, pattern: '^[0-9]{1,15}$', doc: 'First digits of the number.' }),
    risk: text({ write: 'both', required: true, values: riskTexts, doc: 'The class.' }),
    note: text({ write: 'both', nullable: true, doc: 'Which destinations these are.' }),
    ...whyChanged,
  },
  filters: { id: anyId('t.id'), prefix: anyOf('t.prefix'), risk: anyOf('t.risk', { values: riskTexts }) },
  sort: ['prefix', 'risk'],
  defaultSort: 'prefix',
  create: async (context, { attributes: { reason, ...row } }) => {
    await refusing(() => addPrefix(actingOf(context, reason), row));
    return (await rowOf(context, 'prefix', row.prefix)).id;
  },
  update: async (context, id, { attributes: { reason, ...change } }) => {
    const { prefix, risk, note } = await rowOf(context, 'id', id);
    await refusing(() => changePrefixRisk(actingOf(context, reason), { prefix, risk, note, ...change }));
  },
  delete: async (context, id) => {
    const { prefix } = await rowOf(context, 'id', id);
    await refusing(() => changePrefixRisk(actingOf(context), { prefix, risk: null }));
  },
});

interface PrefixRisk {
  prefix: string;
  /** Null: the prefix is removed. */
  risk: string | null;
  note?: string | null;
}

/** Stores or removes a prefix, with its entry in the audit log. */
export function changePrefixRisk(acting: Acting, { prefix, risk, note = null }: PrefixRisk): Promise<void> {
  return act(acting, async (env) => {
    const known = env.db.selectFrom('destination_risks').select(['risk', 'note']).where('prefix', '=', prefix);
    const before = await known.executeTakeFirst();
    if (risk !== null) await setPrefixRisk(env, { prefix, risk, note });
    else if (!(await removePrefixRisk(env, prefix))) throw new OperatorError(`There is no prefix ${prefix}.`);
    return {
      ...{ result: undefined, action: 'destination_risk.changed' as const, accountId: null },
      subject: { type: 'destination_risks', id: prefix },
      before: { risk: before?.risk ?? null, note: before?.note ?? null },
      after: { risk, note: risk === null ? null : note },
    };
  });
}

async function addPrefix(acting: Acting, row: PrefixRisk): Promise<void> {
  const { db } = acting.env;
  const known = await db
    .selectFrom('destination_risks')
    .select('id')
    .where('prefix', '=', row.prefix)
    .executeTakeFirst();
  if (known !== undefined) throw new OperatorError('The prefix has a class already: change it, or remove it.');
  await changePrefixRisk(acting, row);
}

async function rowOf({ env }: OperatorContext, column: 'id' | 'prefix', value: string) {
  const row = await env.db.selectFrom('destination_risks').selectAll().where(column, '=', value).executeTakeFirst();
  if (row === undefined) throw new ApiError([errors.recordNotFound(value)]);
  return row;
}
