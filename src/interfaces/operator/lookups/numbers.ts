/** Numbers that customers own: whose, since when, where calls go; and the history of every number. */
import { dateTime, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf, explained, type Filter } from '../../../engines/jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { account, createdBetween, endless, partOf } from './shared-filters.ts';

const numberStates = {
  pending: 'Bought with an order that is not complete yet.',
  awaiting_registration: 'Waits for an approved address verification.',
  active: 'Takes calls.',
  blocked: 'Switched off by an operator.',
  terminated: 'Ends with its paid period.',
  expired: 'Its period has ended; it can be restored until it returns to stock.',
};

/** In the order in which they win. Migration 0330 has an index for each of the rare ones. */
const stateConditions: Readonly<Record<keyof typeof numberStates, string>> = {
  pending: 't.activated_at is null',
  expired: 't.expired_at is not null and t.activated_at is not null',
  awaiting_registration: 't.awaiting_registration and t.expired_at is null and t.activated_at is not null',
  blocked: 't.blocked_by_staff and not t.awaiting_registration and t.expired_at is null and t.activated_at is not null',
  terminated:
    't.terminated and not t.blocked_by_staff and not t.awaiting_registration and t.expired_at is null and t.activated_at is not null',
  active:
    'not t.terminated and not t.blocked_by_staff and not t.awaiting_registration and t.expired_at is null and t.activated_at is not null',
};

const numberState = `case ${Object.entries(stateConditions)
  .map(([state, condition]) => `when ${condition} then '${state}'`)
  .join(' ')} end`;

const inState: Filter = {
  ...anyOf(numberState, { values: numberStates }),
  where: (states) =>
    `(${states.map((state) => `(${stateConditions[state as keyof typeof numberStates]})`).join(' or ')})`,
};

export const numbers = operatorType('numbers', {
  group: 'Numbers',
  noun: 'number',
  summary: 'A number that a customer owns: whose, since when, where its calls go, and what happened to it.',
  table: 'dids',
  ...endless,
  attributes: {
    number: text({ doc: 'With its country code and without `+`.' }),
    state: text({ values: numberStates, column: numberState, doc: 'What it does now.' }),
    owned_since: dateTime({ nullable: true, column: 't.activated_at', doc: 'When the customer got it.' }),
    expires_at: dateTime({ nullable: true, doc: 'When the period that is paid for ends.' }),
    description: text({ nullable: true, doc: "The customer's note." }),
    route: text({
      nullable: true,
      column: `coalesce(
        (select 'trunk ' || v.name from voice_in_trunks v where v.id = t.voice_in_trunk_id),
        (select 'trunk group ' || g.name from voice_in_trunk_groups g where g.id = t.voice_in_trunk_group_id))`,
      doc: 'The trunk or trunk group that takes its calls.',
    }),
    created_at: dateTime({ doc: 'When it was ordered.' }),
  },
  relationships: { account, order: toOne('orders', { doc: 'The order it was bought with.' }) },
  filters: {
    id: anyId('t.id'),
    number: anyOf('t.number'),
    number_contains: explained('A part of the number, at least three digits.', partOf('t.number')),
    state: inState,
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['number', 'created_at', 'expires_at'],
  defaultSort: 'number',
});

const historyActions = {
  assigned: 'A customer got it.',
  renewed: 'Its period was renewed.',
  canceled: 'The customer, or an operator, ended it.',
  removed: 'It was taken from the customer.',
  billing_cycles_count_changed: 'How long it is to be renewed was changed.',
  restored: 'It came back after it had expired.',
};

const historyMethods = {
  system: 'By itself.',
  api2: 'By an older interface.',
  api3: 'By `/v3`.',
  staff: 'By an operator.',
  user_panel: 'In the panel.',
  mcp: 'By an assistant.',
};

export const numberHistory = operatorType('number_history', {
  group: 'Numbers',
  noun: ['history entry', 'history entries'],
  summary: 'Something that happened to a number, whoever owned it at the time.',
  table: 'did_history',
  ...endless,
  attributes: {
    number: text({ column: 't.did_number', doc: 'The number.' }),
    action: text({ values: historyActions, doc: 'What happened.' }),
    method: text({ values: historyMethods, doc: 'In which way.' }),
    value_from: text({ nullable: true, doc: 'What was changed, before.' }),
    value_to: text({ nullable: true, doc: 'What was changed, after.' }),
    created_at: dateTime({ doc: 'When.' }),
  },
  relationships: { account },
  filters: {
    number: anyOf('t.did_number'),
    action: anyOf('t.action', { values: historyActions }),
    method: anyOf('t.method', { values: historyMethods }),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
});
