/** Callbacks to customers with every attempt: looked up, sent again, given up. */
import { dateTime, integer, plainObject, text } from '../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../engines/jsonapi/filters.ts';
import { actingOf, operatorType, refusing } from './context.ts';
import { account, beginningOf, createdBetween, endless } from './lookups/shared-filters.ts';
import { discardDelivery, retryDelivery } from './queue.writes.ts';
import { requireRetry, retryMembers } from './retry-members.ts';

const statuses = {
  pending: 'To be sent, or sent again.',
  delivered: 'The receiver took it.',
  failed: 'Tried as often as allowed.',
  dropped: 'Given up before that.',
  merged: 'The receiver failed; what it says went out with the next change of the same trunk, under the id of that.',
};

/** A password in a URL is not shown. */
const shownUrl = `regexp_replace(t.url, '//[^/@]*@', '//…@')`;
/** As an index of `deliveries` has it (src/engines/db/baseline). */
const host = `lower(split_part(regexp_replace(t.url, '//[^/@]*@', '//'), '/', 3))`;
const last = (column: string) =>
  `(select a.${column} from delivery_attempts a where a.delivery_id = t.id order by a.attempted_at desc limit 1)`;

export const deliveries = operatorType('deliveries', {
  group: 'Jobs and callbacks',
  noun: ['callback', 'callbacks'],
  deleteVerb: 'Give up',
  summary: 'A callback to a customer, kept for 30 days after its end.',
  ...endless,
  attributes: {
    kind: text({ doc: 'What it is about, such as `orders`.' }),
    resource_id: text({ nullable: true, doc: 'The id of what it is about.' }),
    url: text({ column: shownUrl, doc: 'Where it is sent.' }),
    method: text({ doc: 'How it is sent: `get`, `post` or `json`.' }),
    payload: plainObject('callback_payload', {}, { doc: 'What it says.' }),
    status: text({ values: statuses, doc: 'What became of it.' }),
    attempts: integer({ doc: 'How often it was sent.' }),
    last_status: integer({ nullable: true, column: last('status'), doc: 'The status of the last response.' }),
    last_error: text({ nullable: true, column: last('error'), doc: 'Why the last attempt got no response.' }),
    next_attempt_at: dateTime({ nullable: true, doc: 'When it is sent next.' }),
    created_at: dateTime({ doc: 'When it was caused.' }),
    finished_at: dateTime({ nullable: true, doc: 'When it was delivered or given up.' }),
    ...retryMembers('Send it again, with the whole schedule of retries.'),
  },
  relationships: { account, log: toMany('delivery_attempts', { via: 'delivery_id', doc: 'Every attempt.' }) },
  filters: {
    id: anyId('t.id'),
    kind: anyOf('t.kind'),
    host: beginningOf('the host of the receiver', host),
    status: anyOf('t.status', { values: statuses }),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  update: (context, id, { attributes }) =>
    refusing(async () => {
      requireRetry(attributes);
      await retryDelivery(actingOf(context, attributes.reason), id);
    }),
  delete: (context, id) => refusing(() => discardDelivery(actingOf(context), id)),
});

export const deliveryAttempts = operatorType('delivery_attempts', {
  group: 'Jobs and callbacks',
  noun: 'attempt',
  summary: 'One attempt to send a callback.',
  idColumn: "md5(t.delivery_id::text || ' ' || t.attempted_at::text)::uuid",
  tieBreak: 't.attempt',
  endpoints: { read: false },
  ...endless,
  attributes: {
    attempt: integer({ doc: 'Which attempt, from 1.' }),
    attempted_at: dateTime({ doc: 'When it was sent.' }),
    request: plainObject('callback_request', {}, { doc: 'What was sent.' }),
    status: integer({ nullable: true, doc: 'The status of the response.' }),
    error: text({ nullable: true, doc: 'Why there was none.' }),
    answer: text({ nullable: true, doc: 'The beginning of the response.' }),
    duration_ms: integer({ doc: 'Milliseconds until then.' }),
  },
  relationships: { delivery: toOne('deliveries', { doc: 'The callback.' }) },
  filters: { 'delivery.id': anyId('t.delivery_id') },
  sort: ['attempted_at'],
  defaultSort: '-attempted_at',
});
