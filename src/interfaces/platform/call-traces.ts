/**
 * What traces and refusals of calls show, for the customer's panel and for operators. A customer sees the messages of
 * the own side in full; of a carrier's side the first lines, without addresses.
 */

import { isUuid } from '../../base/uuid.ts';
import { dateTime, integer, list, text } from '../../engines/jsonapi/attributes.ts';
import { toMany } from '../../engines/jsonapi/declare.ts';
import type { Attribute } from '../../engines/jsonapi/facts.ts';
import { anyOf, explained, type Filter, flag, since, until } from '../../engines/jsonapi/filters.ts';

const directions = { in: 'A call to a number.', out: 'A call through an outbound trunk.' };

const states = {
  arrived: 'Being routed.',
  routed: 'Sent to a trunk or carrier.',
  ringing: 'The called side rings.',
  answered: 'The two sides talk.',
  ended: 'It is over.',
};

/** `condition` finds rows by one value, which `parse` has accepted. */
const byValue = (doc: string, accept: (value: string) => boolean, condition: (value: string) => string): Filter => ({
  facts: { match: 'exact' },
  doc,
  parse: (value) => (accept(value) ? [value] : null),
  where: ([value], params) => condition(params.add(value)),
});

const isSome = (value: string): boolean => value !== '';

export const callTraceAttributes = {
  call_id: text({ doc: 'The id of the call in events and CDRs.' }),
  direction: text({ values: directions, doc: 'Which way it went.' }),
  src_number: text({ doc: 'Who called.' }),
  dst_number: text({ doc: 'What was called.' }),
  user_agent: text({ nullable: true, doc: "How the caller's equipment names itself." }),
  trunk_name: text({ nullable: true, doc: 'The trunk of its last attempt.' }),
  state: text({ values: states, doc: 'How far it is.' }),
  refusal: text({ nullable: true, doc: 'The rule that refused it.' }),
  disconnect_code: integer({ nullable: true, doc: 'The SIP code it ended with.' }),
  disconnect_reason: text({ nullable: true, doc: 'The words to that code.' }),
  leg_call_ids: list(
    { type: 'string' },
    { doc: "SIP Call-IDs: of the caller's leg, empty for a simulated call, then one per attempt." },
  ),
  started_at: dateTime({ doc: 'When it arrived.' }),
  answered_at: dateTime({ nullable: true, doc: 'When it was answered.' }),
  ended_at: dateTime({ nullable: true, doc: 'When it ended.' }),
  dropped: integer({ doc: 'Messages and reasons that were not kept.' }),
} satisfies Record<string, Attribute>;

/** What the declarations of `call_traces` say of themselves and of their order. */
export const callTraceWords = {
  noun: 'call trace',
  summary: 'A recent call with its SIP messages and the reasons of decisions.',
  sort: ['started_at'],
  defaultSort: '-started_at',
};

export const callTraceEntries = toMany('call_trace_entries', {
  via: 'call_trace_id',
  doc: 'Messages and reasons, in order.',
});

export const callTraceFilters = {
  call_id: byValue(
    'The id of the call, or the SIP Call-ID of one of its legs.',
    isSome,
    (value) => `(t.call_id = ${value} or t.leg_call_ids @> array[${value}::text])`,
  ),
  number: byValue(
    'The caller or the called number.',
    isSome,
    (value) => `(t.src_number in (${value}, '+' || ${value}) or t.dst_number in (${value}, '+' || ${value}))`,
  ),
  'trunk.id': {
    ...byValue('A trunk that was tried.', isUuid, (value) => `t.trunk_ids @> array[${value}::uuid]`),
    format: 'uuid',
    reads: [],
  } satisfies Filter,
  direction: anyOf('t.direction', { values: directions }),
  state: anyOf('t.state', { values: states }),
  refused: explained('Whether it was refused before it was routed.', flag('t.refusal is not null')),
  started_at_gteq: explained('Started at this time or later.', since('t.started_at')),
  started_at_lteq: explained('Started at this time or earlier.', until('t.started_at')),
};

const kinds = { message: 'A SIP message.', reason: 'Why the call went this way.' };
const ways = { in: 'Received by this server.', out: 'Sent by this server.' };

const entryAttributes = {
  at: text({ column: "t.entry->>'at'", doc: 'When, with microseconds.' }),
  kind: text({ column: "t.entry->>'kind'", values: kinds, doc: 'What it is.' }),
  leg: integer({
    nullable: true,
    column: "(t.entry->>'leg')::int",
    doc: "0 is the caller's leg; each attempt has the next number.",
  }),
  way: text({ nullable: true, column: "t.entry->>'way'", values: ways, doc: 'Which way a message went.' }),
  transport: text({ nullable: true, column: "t.entry->>'transport'", doc: 'UDP, TCP, TLS, WS or WSS.' }),
  first_line: text({
    nullable: true,
    column: "case when t.entry->>'kind' = 'message' then substring(t.entry->>'text' from '^[^\\r\\n]*') end",
    doc: 'The first line of a message.',
  }),
  peer: text({
    nullable: true,
    column: "case when t.is_shown then t.entry->>'peer' end",
    doc: "The other side's address; null if it is a carrier's.",
  }),
  text: text({
    nullable: true,
    column: "case when t.is_shown then t.entry->>'text' end",
    doc: "The message without secrets, or the reason; null for a message of a carrier's leg.",
  }),
} satisfies Record<string, Attribute>;

type Audience = 'operator' | 'customer';

/** The rows of `call_trace_entries`: all of them for the operator, without what names carriers for a customer. */
const entriesFrom = (audience: Audience): string => {
  const isShown =
    audience === 'operator'
      ? 'true'
      : `(e.entry->>'kind' = 'reason' or c.leg_sides[(e.entry->>'leg')::int + 1] = 'customer')`;
  return `(select md5(p.seq || ' ' || e.place)::uuid as id, c.account_id, c.id as call_trace_id, e.entry, p.seq, e.place,
      ${isShown} as is_shown
    from call_traces c join call_trace_parts p on p.call_id = c.call_id
    cross join lateral jsonb_array_elements(p.entries) with ordinality e (entry, place)
    ${audience === 'operator' ? '' : "where e.entry->'internal' is null"}) t`;
};

/** The declaration of `call_trace_entries`, which are read with their call only. */
export const callTraceEntryType = (audience: Audience) => ({
  noun: ['call trace entry', 'call trace entries'] as const,
  summary: 'A SIP message of a call, or a reason.',
  path: null,
  from: entriesFrom(audience),
  attributes: entryAttributes,
  endpoints: { list: false, read: false } as const,
  tieBreak: "t.entry->>'at', t.seq, t.place",
});

export const callRefusalAttributes = {
  day: text({ column: 't.day::text', doc: 'The day, in UTC.' }),
  direction: text({ values: directions, doc: 'Which way the calls went.' }),
  rule: text({ doc: 'The rule that refused them, such as `number_blocked`.' }),
  disconnect_code: integer({ doc: 'The SIP code the callers got.' }),
  disconnect_reason: text({ doc: 'The rule in words.' }),
  src_number: text({ doc: 'The caller of the last one.' }),
  dst_number: text({ doc: 'The called number of the last one.' }),
  count: integer({ column: 't.count::float8', doc: 'How many calls.' }),
  first_seen: dateTime({ doc: 'When the first one arrived.' }),
  last_seen: dateTime({ doc: 'When the last one arrived.' }),
} satisfies Record<string, Attribute>;

export const callRefusalFilters = {
  rule: anyOf('t.rule'),
  direction: anyOf('t.direction', { values: directions }),
  number: byValue(
    'The caller or the called number of the last one.',
    isSome,
    (value) => `(t.src_number = ${value} or t.dst_number = ${value})`,
  ),
  last_seen_gteq: explained('Seen at this time or later.', since('t.last_seen')),
};
