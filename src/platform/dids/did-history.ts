import { dateTime, text } from '../../jsonapi/attributes.ts';
import { anyId, anyOf, since, until } from '../../jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { historyDays } from './history.ts';

const ACTIONS = {
  assigned: 'The account got the number.',
  renewed: 'It was paid for another month.',
  canceled: 'It was terminated.',
  removed: 'It left the account.',
  billing_cycles_count_changed: 'The number of months left was changed; `meta` has the values.',
  restored: 'A termination was taken back.',
};
const METHODS = {
  system: 'The platform itself.',
  api2: 'Version 2 of the API.',
  api3: 'This API.',
  staff: 'The operator.',
  user_panel: 'The web panel.',
  mcp: 'An assistant over MCP.',
};
const maxAge = { days: historyDays, refusal: `Date must be within the last ${historyDays} days.` };

/** What happened to the account's numbers in the last 90 days. */
export const didHistory = owned('did_history', {
  group: 'DIDs',
  noun: ['event of a number', 'what happened to numbers'],
  summary: 'What happened to numbers of the account in the last 90 days.',
  attributes: {
    did_number: text({ nullable: true, pattern: '^[0-9]+$', doc: 'The number it happened to.' }),
    action: text({ values: ACTIONS, doc: 'What happened.' }),
    method: text({ values: METHODS, doc: 'Who or what did it.' }),
    created_at: dateTime({ doc: 'When it happened.' }),
  },
  meta: {
    from: { type: 'string|null', doc: 'The value before the change.', column: 't.value_from' },
    to: { type: 'string|null', doc: 'The value after it.', column: 't.value_to' },
  },
  metaWhen: { action: 'billing_cycles_count_changed' },
  filters: {
    id: anyId('t.id'),
    did_number: anyOf('t.did_number', { single: true }),
    action: anyOf('t.action', { single: true, values: ACTIONS }),
    method: anyOf('t.method', { single: true, values: METHODS }),
    created_at_gteq: since('t.created_at', { maxAge }),
    created_at_lteq: until('t.created_at', { maxAge }),
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  visible: ({ now }, params) => `t.created_at >= ${params.add(new Date(now.getTime() - historyDays * 86_400_000))}`,
  notes: { max_age_days: historyDays },
});
