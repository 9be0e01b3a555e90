/**
 * Callbacks of `/panel/v1`: the log of what was sent to the account's receivers, attempt by attempt, and sending it
 * again.
 */
import { replayDelivery } from '../../business/callbacks/callback-log.ts';
import { boolean, dateTime, integer, text } from '../../engines/jsonapi/attributes.ts';
import { anyId, anyOf, contains, explained, since, until } from '../../engines/jsonapi/filters.ts';
import type { UpdateOf } from '../../engines/jsonapi/sent.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { owned, type PanelContext } from './context.ts';

const statuses = {
  pending: 'It is being sent, or waits for the next attempt.',
  delivered: 'The receiver took it.',
  failed: 'All attempts failed.',
  dropped: 'It was not sent: callbacks are switched off, or nothing can sign them.',
  merged: 'The receiver failed; what it says went out with the next change of the same trunk, under the id of that.',
};

const lastAttempt = (column: string) =>
  `(select a.${column} from delivery_attempts a where a.delivery_id = t.id order by a.attempted_at desc limit 1)`;

const callbackAttributes = {
  kind: text({ doc: 'What it is about: the type of the record.' }),
  resource_id: text({ nullable: true, column: 't.resource_id::text', doc: 'The id of the record.' }),
  url: text({ doc: 'The receiver.' }),
  method: text({ doc: 'The form: get, post or json.' }),
  payload: text({ column: 't.payload::text', doc: 'What it says, as JSON.' }),
  status: text({ values: statuses, doc: 'How far it is.' }),
  attempts: integer({ doc: 'Attempts since it was last started.' }),
  last_status: integer({ nullable: true, column: lastAttempt('status'), doc: 'The status of the newest response.' }),
  last_error: text({ nullable: true, column: lastAttempt('error'), doc: 'Why the newest attempt got no response.' }),
  next_attempt_at: dateTime({ nullable: true, doc: 'When it is tried next.' }),
  created_at: createdAt,
  finished_at: dateTime({ nullable: true, doc: 'When it was delivered or given up.' }),
  replay: boolean({ write: 'update', writeOnly: true, doc: 'True sends it again, now.' }),
};

export const callbacks = owned('callbacks', {
  group: 'Panel',
  noun: 'callback',
  summary: 'A callback to a receiver of the account.',
  table: 'deliveries',
  attributes: callbackAttributes,
  filters: {
    status: anyOf('t.status', { values: statuses }),
    kind: anyOf('t.kind'),
    url_contains: explained('Whose receiver contains this text.', contains('t.url')),
    created_at_gteq: explained('Created at this time or later.', since('t.created_at')),
    created_at_lteq: explained('Created at this time or earlier.', until('t.created_at')),
  },
  sort: ['created_at', 'status', 'kind'],
  defaultSort: '-created_at',
  update: replay,
});

async function replay(
  context: PanelContext,
  id: string,
  input: UpdateOf<typeof callbackAttributes, object>,
): Promise<void> {
  if (input.attributes.replay) await replayDelivery(context.env, id, callerOf(context).accountId);
}

export const callbackAttempts = owned('callback_attempts', {
  group: 'Panel',
  noun: 'callback attempt',
  summary: 'One attempt to send a callback, with the request and the response.',
  from: `(select md5(a.delivery_id::text || a.attempted_at::text)::uuid as id, d.account_id, a.* from delivery_attempts a
          join deliveries d on d.id = a.delivery_id) t`,
  attributes: {
    callback_id: text({ column: 't.delivery_id::text', doc: 'The callback.' }),
    attempt: integer({ doc: 'Its place among the attempts.' }),
    attempted_at: dateTime({ doc: 'When it was sent.' }),
    request: text({ column: 't.request::text', doc: 'The request as JSON: method, URL, headers, body.' }),
    status: integer({ nullable: true, doc: 'The status of the response; null if there was none.' }),
    error: text({ nullable: true, doc: 'Why there was no response.' }),
    response: text({ nullable: true, column: 't.answer', doc: 'The beginning of the response.' }),
    duration_ms: integer({ doc: 'How long it took, in milliseconds.' }),
  },
  filters: { 'callback.id': anyId('t.delivery_id') },
  sort: { attempted_at: 't.attempted_at' },
  defaultSort: '-attempted_at',
  endpoints: { read: false },
});
