/** Call events of `/panel/v1`: where each of the four streams goes, the log of events, and sending one again. */

import { delivererOf } from '../../business/voice/events/deliverer.ts';
import { replayEvent } from '../../business/voice/events/queue.ts';
import { readStream, writeStream } from '../../business/voice/events/stream-settings.ts';
import type { StreamName } from '../../engines/db/tables/calls.ts';
import { boolean, dateTime, integer, text } from '../../engines/jsonapi/attributes.ts';
import { anyOf, contains, explained, since, until } from '../../engines/jsonapi/filters.ts';
import type { CreateOf, UpdateOf } from '../../engines/jsonapi/sent.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { owned, type PanelContext, refusedAt } from './context.ts';

const streams = {
  voice_in_events: 'Start, answer and end of inbound calls.',
  voice_out_events: 'Start, answer and end of outbound calls.',
  voice_in_cdr: 'Records of inbound calls.',
  voice_out_cdr: 'Records of outbound calls.',
};

/** An endpoint is its stream's: there is one of each. Its id is made from both names, so that it stays the same. */
const endpoints = `(
  select md5(account_id::text || stream)::uuid as id, account_id, stream, url, gzip, username,
         sealed_password is not null as has_password
  from call_event_streams
  union all
  select md5(a.id::text || 'voice_in_events')::uuid, a.id, 'voice_in_events', a.call_events ->> 'url',
         coalesce((a.call_events ->> 'gzip')::boolean, false), null, false
  from accounts a where a.call_events is not null
    and not exists (select from call_event_streams s where s.account_id = a.id and s.stream = 'voice_in_events')) t`;

const endpointAttributes = {
  stream: text({ write: 'create', required: true, values: streams, doc: 'Which events.' }),
  url: text({ write: 'both', required: true, maxLength: 2000, doc: 'The receiver; http or https.' }),
  gzip: boolean({ write: 'both', default: false, doc: 'Whether bodies are compressed.' }),
  username: text({ write: 'both', nullable: true, maxLength: 200, doc: 'For basic authentication.' }),
  password: text({
    write: 'both',
    writeOnly: true,
    nullable: true,
    maxLength: 200,
    doc: 'For basic authentication.',
  }),
  has_password: boolean({ doc: 'Whether a password is stored.' }),
};

export const callEventEndpoints = owned('call_event_endpoints', {
  group: 'Panel',
  noun: 'call event endpoint',
  summary: 'Where the events of one stream are sent.',
  from: endpoints,
  attributes: endpointAttributes,
  filters: { stream: anyOf('t.stream', { values: streams }) },
  sort: { stream: 't.stream', url: 't.url' },
  defaultSort: 'stream',
  create: createEndpoint,
  update: updateEndpoint,
  delete: removeEndpoint,
});

type NewEndpoint = CreateOf<typeof endpointAttributes, object>;
type EndpointChange = UpdateOf<typeof endpointAttributes, object>;

async function createEndpoint(context: PanelContext, { attributes }: NewEndpoint): Promise<string> {
  const { stream, ...settings } = attributes;
  await store(context, stream, settings);
  const row = await find(context, 'stream', stream);
  return row.id;
}

async function updateEndpoint(context: PanelContext, id: string, { attributes }: EndpointChange): Promise<void> {
  const { stream } = await find(context, 'id', id);
  await store(context, stream, attributes);
}

/** What is not sent stays as it is. */
async function store(context: PanelContext, stream: StreamName, given: EndpointChange['attributes']): Promise<void> {
  const { env } = context;
  const { accountId } = callerOf(context);
  const stored = await readStream(env, accountId, stream);
  const merged = { url: '', ...stored, ...given };
  await refusedAt(
    () => 'url',
    () => writeStream(env, accountId, stream, merged),
  );
}

async function removeEndpoint(context: PanelContext, id: string): Promise<void> {
  const { env } = context;
  const { accountId } = callerOf(context);
  const { stream } = await find(context, 'id', id);
  await writeStream(env, accountId, stream, null);
  if (stream !== 'voice_in_events') return;
  await env.db.updateTable('accounts').set({ call_events: null }).where('id', '=', accountId).execute();
}

async function find(context: PanelContext, column: 'id' | 'stream', value: string) {
  const [row] = await context.query(
    `select id, stream from ${endpoints} where account_id = $1 and ${column}::text = $2`,
    [callerOf(context).accountId, value],
  );
  if (row === undefined) throw new Error('the endpoint has just been found');
  return { id: String(row.id), stream: row.stream as StreamName };
}

const states = {
  pending: 'It waits for its delivery or the next attempt.',
  delivered: 'The receiver took it.',
  failed: 'It was given up.',
};
const state =
  "case when t.due_at is not null then 'pending' when t.delivered_at is not null then 'delivered' else 'failed' end";

export const callEvents = owned('call_events', {
  group: 'Panel',
  noun: 'call event',
  summary: 'An event of a call, and whether it arrived.',
  idColumn: "lpad(to_hex(t.id), 32, '0')::uuid",
  tieBreak: 't.id desc',
  attributes: {
    stream: text({ values: streams, doc: 'Which stream it belongs to.' }),
    call_id: text({ doc: 'The call.' }),
    body: text({ doc: 'What it says.' }),
    state: text({ column: state, values: states, doc: 'How far it is.' }),
    attempts: integer({ doc: 'How often it was sent.' }),
    last_status: integer({ nullable: true, doc: 'The status of the newest response.' }),
    last_error: text({ nullable: true, doc: 'Why the newest attempt got no response.' }),
    created_at: createdAt,
    delivered_at: dateTime({ nullable: true, doc: 'When it arrived.' }),
    next_attempt_at: dateTime({ nullable: true, column: 't.due_at', doc: 'When it is tried next.' }),
    replay: boolean({ write: 'update', writeOnly: true, doc: 'True sends it again, now.' }),
  },
  filters: {
    stream: anyOf('t.stream', { values: streams }),
    state: anyOf(state, { values: states }),
    call_id: anyOf('t.call_id'),
    body_contains: explained('That contain this text.', contains('t.body')),
    created_at_gteq: explained('Created at this time or later.', since('t.created_at')),
    created_at_lteq: explained('Created at this time or earlier.', until('t.created_at')),
  },
  sort: { created_at: 't.created_at' },
  defaultSort: '-created_at',
  update: async (context, id, { attributes }) => {
    if (!attributes.replay) return;
    const { accountId } = callerOf(context);
    await replayEvent(context.env, accountId, Number.parseInt(id.replaceAll('-', ''), 16));
    delivererOf(context.env).wake(accountId, 'any stream');
  },
});
