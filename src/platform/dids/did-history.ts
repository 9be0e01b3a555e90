import { dateTime, text } from '../../jsonapi/attributes.ts';
import { anyId, anyOf, since, until } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { historyDays } from './history.ts';

const ACTIONS = ['assigned', 'renewed', 'canceled', 'removed', 'billing_cycles_count_changed', 'restored'];
const METHODS = ['system', 'api2', 'api3', 'staff', 'user_panel', 'mcp'];
const maxAge = { days: historyDays, refusal: `Date must be within the last ${historyDays} days.` };

/** What happened to the account's numbers in the last 90 days. */
export const didHistory = owned('did_history', {
  group: 'DIDs',
  summary: 'What happened to numbers of the account in the last 90 days.',
  attributes: {
    did_number: text({ nullable: true, pattern: '^[0-9]+$' }),
    action: text({ enum: ACTIONS }),
    method: text({ enum: METHODS }),
    created_at: dateTime(),
  },
  meta: {
    from: { type: 'string|null', column: 't.value_from' },
    to: { type: 'string|null', column: 't.value_to' },
  },
  metaWhen: { action: 'billing_cycles_count_changed' },
  filters: {
    id: anyId('t.id'),
    did_number: anyOf('t.did_number', { single: true }),
    action: anyOf('t.action', { single: true, enum: ACTIONS }),
    method: anyOf('t.method', { single: true, enum: METHODS }),
    created_at_gteq: since('t.created_at', { maxAge }),
    created_at_lteq: until('t.created_at', { maxAge }),
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  visible: ({ now }, params) => `t.created_at >= ${params.add(new Date(now.getTime() - historyDays * 86_400_000))}`,
  notes: { max_age_days: historyDays },
});
