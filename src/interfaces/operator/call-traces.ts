/** `call_traces` and `call_refusals` of /operator/v1: recent calls of every account, and why calls were refused. */
import { list, text } from '../../engines/jsonapi/attributes.ts';
import { toOne } from '../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../engines/jsonapi/filters.ts';
import {
  callRefusalAttributes,
  callRefusalFilters,
  callTraceAttributes,
  callTraceEntries,
  callTraceEntryType,
  callTraceFilters,
  callTraceWords,
} from '../platform/call-traces.ts';
import { operatorType } from './context.ts';

const account = toOne('accounts', { nullable: true, doc: 'The customer, if the number or trunk belongs to one.' });
const carrierName = text({ nullable: true, doc: 'The carrier of its last attempt, or that it came from.' });

export const callTraces = operatorType('call_traces', {
  group: 'Calls',
  ...callTraceWords,
  attributes: {
    ...callTraceAttributes,
    carrier_name: carrierName,
    leg_sides: list({ type: 'string' }, { doc: 'Of each leg: `customer` or `carrier`.' }),
  },
  relationships: { account, entries: callTraceEntries },
  filters: { ...callTraceFilters, 'account.id': anyId('t.account_id') },
});

export const callTraceLines = operatorType('call_trace_entries', { group: 'Calls', ...callTraceEntryType('operator') });

export const callRefusals = operatorType('call_refusals', {
  group: 'Calls',
  noun: 'call refusal',
  summary: 'Refused calls of one day, counted by rule, source and number.',
  attributes: {
    ...callRefusalAttributes,
    source: text({ doc: 'Where they came from: an address, an IPv6 network, `others`, or empty for simulated calls.' }),
    carrier_name: carrierName,
    sample: text({ nullable: true, doc: 'The first request, without secrets.' }),
  },
  relationships: { account },
  filters: { ...callRefusalFilters, source: anyOf('t.source'), 'account.id': anyId('t.account_id') },
  sort: ['last_seen', 'count'],
  defaultSort: '-last_seen',
  endpoints: { read: false },
});
