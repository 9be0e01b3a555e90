/**
 * List prices of verifications and of messages, one by one. A price list of the kind `verifications` replaces all of
 * them.
 */
import { sql } from 'kysely';
import { OperatorError } from '../../../base/operator-error.ts';
import type { Environment } from '../../../engines/environment.ts';
import { decimal, text } from '../../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { anyOf } from '../../../engines/jsonapi/filters.ts';
import { listRates, type Rate, setRate } from '../../verification/prices.ts';
import { type Acting, act, type Done } from '../act.ts';
import { actingOf, type OperatorContext, operatorType, refusing } from '../context.ts';
import { whyChanged } from '../peers/shared-members.ts';

const units = { verification: 'A number that was verified.', message: 'A message or call that was sent.' };
const methods = { sms: 'Codes by SMS.', callout: 'Codes spoken in a call.' };

/** A rate is named by what is paid for; ids of the interface are UUIDs. */
const idOf = "md5(t.per || ' ' || t.delivery_method || ' ' || t.prefix)::uuid";

type RateKey = Omit<Rate, 'amount'>;
export const verificationRates = operatorType('verification_rates', {
  group: 'Money',
  noun: 'verification rate',
  deleteVerb: 'Remove',
  summary:
    'What a verified number, or a message with a code, costs without VAT: the longest prefix counts. A start keeps the price of its time.',
  idColumn: idOf,
  tieBreak: 't.per, t.delivery_method, t.prefix',
  attributes: {
    per: text({ write: 'create', values: units, doc: 'What it is paid for; `verification` if left out.' }),
    delivery_method: text({ write: 'create', required: true, values: methods, doc: 'For codes sent this way.' }),
    prefix: text({
      write: 'create',
      pattern: '^[0-9]{0,15}$',
      doc: 'First digits of the number; empty for all others.',
    }),
    amount: decimal({ write: 'both', required: true, min: 0, doc: 'With up to four decimals.' }),
    ...whyChanged,
  },
  filters: {
    per: anyOf('t.per', { values: units }),
    delivery_method: anyOf('t.delivery_method', { values: methods }),
    prefix: anyOf('t.prefix', { blank: true }),
  },
  sort: ['prefix', 'amount'],
  defaultSort: 'prefix',
  create: async (context, { attributes }) => {
    const { per = 'verification', delivery_method: deliveryMethod, prefix = '', amount, reason } = attributes;
    const key = { per, deliveryMethod, prefix };
    await refusing(() => addRate(actingOf(context, reason), { ...key, amount }));
    const [row] = await context.query(
      `select ${idOf} as id from verification_rates t where per = $1 and delivery_method = $2 and prefix = $3`,
      [per, deliveryMethod, prefix],
    );
    return String(row?.id);
  },
  update: async (context, id, { attributes }) => {
    const { amount, reason } = attributes;
    if (amount === undefined) return;
    const key = await keyOf(context, id);
    await refusing(() => putRate(actingOf(context, reason), { ...key, amount }));
  },
  delete: async (context, id) => {
    const key = await keyOf(context, id);
    await refusing(() => putRate(actingOf(context), { ...key, amount: null }));
  },
});

/** Stores or removes a rate; returns what the audit log says about it. Runs inside of an act. */
export async function changeRate(
  env: Environment,
  rate: Rate,
): Promise<Required<Pick<Done<void>, 'subject' | 'before' | 'after'>>> {
  const before = await rateOf(env, rate);
  await setRate(env, rate);
  return {
    subject: { type: 'verification_rates', id: `${rate.deliveryMethod} ${rate.prefix || 'all'} per ${rate.per}` },
    before: { amount: before?.amount ?? null },
    after: { amount: rate.amount },
  };
}

function putRate(acting: Acting, rate: Rate): Promise<void> {
  return act(acting, async (env) => ({ ...changed, ...(await changeRate(env, rate)) }));
}

function addRate(acting: Acting, rate: Rate): Promise<void> {
  return act(acting, async (env) => {
    if (await rateOf(env, rate)) throw new OperatorError('There is a rate for this already: change it, or remove it.');
    return { ...changed, ...(await changeRate(env, rate)) };
  });
}

const changed = { result: undefined, action: 'verification_rate.changed', accountId: null } as const;

async function rateOf(env: Environment, { per, deliveryMethod, prefix }: RateKey) {
  return (await listRates(env)).find(
    (rate) => rate.per === per && rate.deliveryMethod === deliveryMethod && rate.prefix === prefix,
  );
}

async function keyOf({ env }: OperatorContext, id: string): Promise<RateKey> {
  const row = await env.db
    .selectFrom('verification_rates as t')
    .select(['t.per', 't.delivery_method', 't.prefix'])
    .where(sql<string>`${sql.raw(idOf)}`, '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new ApiError([errors.recordNotFound(id)]);
  return { per: row.per, deliveryMethod: row.delivery_method, prefix: row.prefix };
}
