/** What an account may spend in a day on a class of destinations. */

import { OperatorError } from '../../../base/operator-error.ts';
import { removeRiskLimit, setRiskLimit } from '../../../business/voice/risks.ts';
import { decimal, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, type OperatorContext, operatorType, refusing } from '../context.ts';
import { whyChanged } from '../peers/shared-members.ts';
import { riskTexts } from './destination-risks.ts';

export const riskLimits = operatorType('risk_limits', {
  group: 'Calls',
  noun: 'limit of a risk class',
  deleteVerb: 'Remove',
  summary:
    'What an account may spend in a day (UTC) on a class of destinations, VAT included. Calls that would pass it are refused, or cut. The limits without an account hold for all accounts without one of their own.',
  attributes: {
    risk: text({ write: 'create', required: true, values: riskTexts, doc: 'The class.' }),
    daily_limit: decimal({
      write: 'both',
      required: true,
      nullable: true,
      min: 0,
      doc: 'With up to four decimals; null for no limit.',
    }),
    ...whyChanged,
  },
  relationships: {
    account: toOne('accounts', { write: 'create', required: true, nullable: true, doc: 'The customer.' }),
  },
  filters: { id: anyId('t.id'), risk: anyOf('t.risk', { values: riskTexts }), 'account.id': anyId('t.account_id') },
  sort: ['risk'],
  defaultSort: 'risk',
  create: async (context, { attributes, relationships }) => {
    const { risk, daily_limit: limit, reason } = attributes;
    const accountId = relationships.account?.id ?? null;
    await refusing(() => addLimit(actingOf(context, reason), { risk, limit, accountId }));
    return (await limitOf(context, { risk, account_id: accountId })).id;
  },
  update: async (context, id, { attributes }) => {
    if (attributes.daily_limit === undefined) return;
    const { daily_limit: limit, reason } = attributes;
    const { risk, account_id: accountId } = await limitOf(context, { id });
    await refusing(() => changeRiskLimit(actingOf(context, reason), { risk, limit, accountId }));
  },
  delete: async (context, id) => {
    const { risk, account_id: accountId } = await limitOf(context, { id });
    await refusing(() => removeLimit(actingOf(context), risk, accountId));
  },
});

interface RiskLimit {
  risk: string;
  limit: string | null;
  /** Null: for all accounts without a limit of their own. */
  accountId: string | null;
}

/** Stores a limit, with its entry in the audit log. */
export function changeRiskLimit(acting: Acting, limit: RiskLimit): Promise<void> {
  return act(acting, async (env) => {
    const before = await known(env.db, limit);
    await setRiskLimit(env, limit);
    return {
      ...about(limit),
      before: { daily_limit: before?.daily_limit ?? null },
      after: { daily_limit: limit.limit },
    };
  });
}

/** The account has the limit of all others again. */
export function removeLimit(acting: Acting, risk: string, accountId: string | null): Promise<void> {
  return act(acting, async (env) => {
    if (accountId === null) throw new OperatorError('The limit of all accounts can be changed, not removed.');
    const before = await known(env.db, { risk, accountId });
    if (!(await removeRiskLimit(env, risk, accountId))) throw new OperatorError('The account has no limit of its own.');
    const after = { daily_limit: null };
    return { ...about({ risk, accountId }), before: { daily_limit: before?.daily_limit ?? null }, after };
  });
}

async function addLimit(acting: Acting, limit: RiskLimit): Promise<void> {
  if ((await known(acting.env.db, limit)) !== undefined) {
    throw new OperatorError('The account has a limit for this class already: change it, or remove it.');
  }
  await changeRiskLimit(acting, limit);
}

const about = ({ risk, accountId }: Omit<RiskLimit, 'limit'>) => ({
  ...{ result: undefined, action: 'risk_limit.changed' as const, accountId },
  subject: { type: 'risk_limits', id: risk },
});

const known = (db: OperatorContext['env']['db'], { risk, accountId }: Omit<RiskLimit, 'limit'>) =>
  db
    .selectFrom('risk_limits')
    .selectAll()
    .where('risk', '=', riskOf(risk))
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .executeTakeFirst();

function riskOf(risk: string): keyof typeof riskTexts {
  if (risk === 'standard' || risk === 'elevated' || risk === 'high') return risk;
  throw new OperatorError(`"${risk}" is not a class: ${Object.keys(riskTexts).join(', ')}.`);
}

async function limitOf({ env }: OperatorContext, by: { id: string } | { risk: string; account_id: string | null }) {
  const found =
    'id' in by
      ? await env.db.selectFrom('risk_limits').selectAll().where('id', '=', by.id).executeTakeFirst()
      : await known(env.db, { risk: by.risk, accountId: by.account_id });
  if (found === undefined) throw new ApiError([errors.recordNotFound('id' in by ? by.id : by.risk)]);
  return found;
}
