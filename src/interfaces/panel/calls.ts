/**
 * Calls of `/panel/v1`, which `/v3` has as exports only: inbound and outbound calls that have ended, the attempts of
 * inbound calls, and calls that are active now.
 */
import { boolean, dateTime, decimal, integer, text } from '../../engines/jsonapi/attributes.ts';
import { anyId, anyOf, contains, explained, flag, since, until } from '../../engines/jsonapi/filters.ts';
import { callSound } from '../platform/call-sound.ts';
import { callerVerdict, callSignature } from '../platform/caller-verdict.ts';
import { owned } from './context.ts';

const period = {
  time_start_gteq: explained('That arrived at this time or later.', since('t.time_start')),
  time_start_lteq: explained('That arrived at this time or earlier.', until('t.time_start')),
};

export const calls = owned('calls', {
  group: 'Panel',
  noun: 'call',
  summary: 'An inbound call that has ended.',
  table: 'cdrs_in',
  visible: () => 't.is_last',
  attributes: {
    call_id: text({ doc: 'The id of the call in events and exports.' }),
    src_number: text({ doc: 'Who called.' }),
    src_name: text({ nullable: true, doc: "The caller's name, if it is known." }),
    did_number: text({ doc: 'The number that was called.' }),
    time_start: dateTime({ doc: 'When it arrived.' }),
    time_connect: dateTime({ nullable: true, doc: 'When it was answered; null if it was not.' }),
    time_end: dateTime({ doc: 'When it ended.' }),
    duration: integer({ doc: 'Seconds from answer to end.' }),
    success: boolean({ doc: 'Whether it was answered.' }),
    disconnect_code: integer({ doc: 'The SIP code it ended with.' }),
    response: text({ doc: 'The words to that code.' }),
    disconnect_initiator: text({ doc: 'Which side ended it.' }),
    voice_in_trunk_name: text({ nullable: true, doc: 'The trunk of its last attempt.' }),
    trunk_group_name: text({ nullable: true, doc: 'The trunk group it was sent to.' }),
    capacity_group_name: text({ nullable: true, doc: 'The capacity group whose channel it used.' }),
    attempts: integer({ column: 't.attempt', doc: 'How many trunks were tried.' }),
    amount: decimal({
      column: '(t.toll_free_amount + t.pstn_amount + t.metered_amount + t.cnam_amount)::text',
      doc: 'What its last attempt cost.',
    }),
    ...callSound,
    ...callerVerdict,
    signed_as: callSignature.signed_as,
  },
  filters: {
    did_number: anyOf('t.did_number', { single: true }),
    did_number_contains: explained('Whose called number contains these digits.', contains('t.did_number')),
    src_number_contains: explained('Whose caller contains these digits.', contains('t.src_number')),
    call_id: anyOf('t.call_id'),
    success: flag('t.success'),
    ...period,
  },
  sort: { time_start: 't.time_start', duration: 't.duration', disconnect_code: 't.disconnect_code' },
  defaultSort: '-time_start',
});

export const callAttempts = owned('call_attempts', {
  group: 'Panel',
  noun: 'call attempt',
  summary: 'One attempt of an inbound call to reach a trunk.',
  table: 'cdrs_in',
  attributes: {
    call_id: text({ doc: 'The call.' }),
    attempt: integer({ doc: 'Its place among the attempts of the call, from 1.' }),
    time_start: dateTime({ doc: 'When the call arrived.' }),
    time_connect: dateTime({ nullable: true, doc: 'When it was answered; null if it was not.' }),
    time_end: dateTime({ doc: 'When the attempt ended.' }),
    success: boolean({ doc: 'Whether it was answered.' }),
    disconnect_code: integer({ doc: 'The SIP code it ended with.' }),
    response: text({ doc: 'The words to that code.' }),
    disconnect_initiator: text({ doc: 'Which side ended it.' }),
    voice_in_trunk_id: text({ nullable: true, column: 't.voice_in_trunk_id::text', doc: 'The id of the trunk.' }),
    voice_in_trunk_name: text({ nullable: true, doc: 'The trunk.' }),
    destination: text({ nullable: true, doc: 'The address that was called.' }),
  },
  filters: { call_id: anyOf('t.call_id', { single: true }) },
  sort: { attempt: 't.attempt' },
  defaultSort: 'attempt',
  endpoints: { read: false },
});

export const outboundCalls = owned('outbound_calls', {
  group: 'Panel',
  noun: 'outbound call',
  summary: 'An outbound call that has ended.',
  table: 'cdrs_out',
  attributes: {
    call_id: text({ doc: 'The id of the call in events and exports.' }),
    src_number: text({ doc: 'The number that was presented.' }),
    original_src_number: text({ doc: 'The number that your equipment presented.' }),
    dst_number: text({ doc: 'The number that was called.' }),
    time_start: dateTime({ doc: 'When it began.' }),
    time_connect: dateTime({ nullable: true, doc: 'When it was answered; null if it was not.' }),
    time_end: dateTime({ doc: 'When it ended.' }),
    duration: integer({ doc: 'Seconds from answer to end.' }),
    billing_duration: integer({ doc: 'Seconds that were charged.' }),
    success: boolean({ doc: 'Whether it was answered.' }),
    disconnect_code: integer({ doc: 'The SIP code it ended with.' }),
    disconnect_reason: text({ doc: 'The words to that code.' }),
    voice_out_trunk_name: text({ doc: 'The trunk.' }),
    country: text({ nullable: true, doc: 'The country that was called.' }),
    price: decimal({ column: 't.price::text', doc: 'What it cost.' }),
    ...callSound,
    ...callSignature,
  },
  filters: {
    dst_number_contains: explained('Whose called number contains these digits.', contains('t.dst_number')),
    src_number_contains: explained('Whose presented number contains these digits.', contains('t.src_number')),
    'voice_out_trunk.id': anyId('t.voice_out_trunk_id'),
    success: flag('t.success'),
    ...period,
  },
  sort: { time_start: 't.time_start', duration: 't.duration', price: 't.price' },
  defaultSort: '-time_start',
});

export const liveCalls = owned('live_calls', {
  group: 'Panel',
  noun: 'live call',
  summary: 'A call that is active now.',
  table: 'open_calls',
  idColumn: 'md5(t.id)::uuid',
  tieBreak: 't.id',
  attributes: {
    call_id: text({ column: 't.id', doc: 'The id of the call in events and exports.' }),
    direction: text({ values: { in: 'To one of your numbers.', out: 'From your equipment.' }, doc: 'Which way.' }),
    state: text({ doc: 'How far it is: routed, ringing or answered.' }),
    from: text({ column: "t.call ->> 'srcNumber'", nullable: true, doc: 'Who calls.' }),
    to: text({
      column: "coalesce(t.call ->> 'didNumber', t.call ->> 'dstNumber')",
      nullable: true,
      doc: 'Who is called.',
    }),
    trunk_name: text({ column: "t.call #>> '{attempts,-1,trunkName}'", nullable: true, doc: 'The trunk it is at.' }),
    channel: text({ nullable: true, doc: 'The kind of channel it holds.' }),
    time_start: dateTime({ doc: 'When it arrived.' }),
  },
  filters: { direction: anyOf('t.direction', { values: { in: 'Inbound.', out: 'Outbound.' } }) },
  sort: { time_start: 't.time_start' },
  defaultSort: '-time_start',
  endpoints: { read: false },
});
