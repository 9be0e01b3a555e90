/** Calls that are up now, and the CDRs of ended ones in both directions. */
import { boolean, dateTime, decimal, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { anyId, anyInteger, anyOf, flag, reading } from '../../../engines/jsonapi/filters.ts';
import { callSound } from '../../platform/call-sound.ts';
import { callerVerdict, callSignature } from '../../platform/caller-verdict.ts';
import { operatorType } from '../context.ts';
import { account, between, endless, numberFrom, plannedEachTime } from './shared-filters.ts';

const directions = { in: 'To a number of ours.', out: 'From a customer to anywhere.' };
const states = { routed: 'A trunk or carrier was chosen.', ringing: 'The called side rings.', answered: 'Both talk.' };
const calledNumber = `coalesce(t.call->>'didNumber', t.call->>'dstNumber')`;

export const calls = operatorType('calls', {
  group: 'Calls',
  noun: 'call',
  summary: 'A call that is up now.',
  table: 'open_calls',
  idColumn: 'md5(t.id)::uuid',
  tieBreak: 't.id',
  endpoints: { read: false },
  ...endless,
  attributes: {
    call_id: text({ column: 't.id', doc: 'Its id in events and CDRs.' }),
    direction: text({ values: directions, doc: 'In or out.' }),
    state: text({ values: states, doc: 'How far it is.' }),
    src_number: text({ column: `coalesce(t.call->>'srcNumber', '')`, doc: 'Who calls.' }),
    dst_number: text({ column: `coalesce(${calledNumber}, '')`, doc: 'The number that is called.' }),
    channel: text({ nullable: true, doc: 'The kind of channel that an inbound call holds.' }),
    trunk_id: text({ doc: 'The trunk that takes it, or that it came from.' }),
    time_start: dateTime({ doc: 'When it arrived.' }),
  },
  relationships: { account },
  filters: {
    call_id: anyOf('t.id'),
    direction: anyOf('t.direction', { values: directions }),
    state: anyOf('t.state', { values: states }),
    src_number: numberFrom(`(t.call->>'srcNumber')`),
    dst_number: numberFrom(calledNumber),
    'account.id': anyId('t.account_id'),
  },
  sort: ['time_start'],
  defaultSort: '-time_start',
});

/** One row for each attempt; times and ends are the same in both directions. */
const ended = {
  call_id: text({ doc: 'The id of the call.' }),
  time_start: dateTime({ doc: 'When it arrived.' }),
  time_connect: dateTime({ nullable: true, doc: 'When it was answered.' }),
  time_end: dateTime({ doc: 'When it ended.' }),
  success: boolean({ doc: 'Whether it was answered.' }),
  duration: integer({ doc: 'Seconds from answer to end.' }),
  disconnect_code: integer({ doc: 'The SIP code it ended with.' }),
  carrier_name: text({ nullable: true, doc: 'The carrier it came from or went to, by its name at the time.' }),
  src_number: text({ doc: 'Who called.' }),
  user_agent: text({ nullable: true, doc: "How the caller's equipment names itself." }),
};

const callerCallId = (column: string) =>
  text({ nullable: true, column, doc: "SIP Call-ID of the caller's leg; null for a simulated call." });

const endedFilters = {
  call_id: anyOf('t.call_id'),
  src_number: numberFrom('t.src_number'),
  success: flag('t.success'),
  disconnect_code: anyInteger('t.disconnect_code'),
  'account.id': anyId('t.account_id'),
  ...between('time_start', 't.time_start'),
};

const amount = (doc: string) => decimal({ doc });
const operatorAmount = (doc: string) => decimal({ nullable: true, doc });

export const cdrsIn = operatorType('cdrs_in', {
  group: 'Calls',
  noun: 'inbound CDR',
  summary: 'One attempt of an inbound call that has ended.',
  endpoints: { read: false },
  ...endless,
  attributes: {
    ...ended,
    caller_call_id: callerCallId('t.caller_call_id'),
    did_number: text({ doc: 'The number that was called.' }),
    attempt: integer({ doc: 'Which attempt, from 1.' }),
    is_last: boolean({ doc: 'Whether the call ended with it.' }),
    disconnect_reason: text({ column: 't.response', doc: 'The words to the code.' }),
    disconnect_initiator: text({ doc: 'Who ended it.' }),
    trunk_name: text({ nullable: true, column: 't.voice_in_trunk_name', doc: 'The trunk that was tried.' }),
    destination: text({ nullable: true, doc: 'Where the call was sent.' }),
    toll_free_amount: amount('Charged for toll-free minutes.'),
    pstn_amount: amount('Charged for forwarding.'),
    metered_amount: amount('Charged for metered channels.'),
    cnam_amount: amount("Charged for the caller's name."),
    ...callSound,
    ...callerVerdict,
    ...callSignature,
  },
  relationships: { account },
  filters: { ...endedFilters, did_number: numberFrom('t.did_number') },
  sort: ['time_start'],
  defaultSort: '-time_start',
});

export const cdrsOut = operatorType('cdrs_out', {
  group: 'Calls',
  noun: 'outbound CDR',
  summary: 'An outbound call that has ended, with what it cost and earned.',
  endpoints: { read: false },
  ...endless,
  attributes: {
    ...ended,
    caller_call_id: callerCallId('t.leg_call_id'),
    original_src_number: text({ doc: 'The caller id as the customer sent it.' }),
    dst_number: text({ doc: 'The number that was dialled, with the tech prefix.' }),
    billing_duration: integer({ doc: 'Seconds that were charged.' }),
    disconnect_reason: text({ doc: 'The words to the code.' }),
    trunk_name: text({ column: 't.voice_out_trunk_name', doc: 'The trunk it came from.' }),
    country: text({ nullable: true, doc: 'Of the rate.' }),
    network: text({ nullable: true, doc: 'Of the rate.' }),
    call_type: text({ doc: 'The kind of call.' }),
    rate: operatorAmount('A minute, without VAT.'),
    price: amount('What the customer paid, with VAT.'),
    carrier_rate: operatorAmount('What the carrier charges for a minute.'),
    carrier_cost: operatorAmount('What the carrier charges for the call.'),
    margin: operatorAmount('The price without VAT minus the cost.'),
    ...callSound,
    ...callSignature,
  },
  relationships: { account },
  filters: {
    ...endedFilters,
    dst_number: numberFrom('t.dst_number'),
    'carrier.id': reading(['carriers'], plannedEachTime(anyId('t.carrier_id'))),
  },
  sort: ['time_start'],
  defaultSort: '-time_start',
});
