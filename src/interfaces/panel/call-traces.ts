/**
 * `call_traces` and `call_refusals` of `/panel/v1`: what happened in the account's recent calls, and why some were
 * refused.
 */
import { text } from '../../engines/jsonapi/attributes.ts';
import {
  callRefusalAttributes,
  callRefusalFilters,
  callTraceAttributes,
  callTraceEntries,
  callTraceEntryType,
  callTraceFilters,
  callTraceWords,
} from '../platform/call-traces.ts';
import { owned } from './context.ts';

export const callTraces = owned('call_traces', {
  group: 'Panel',
  ...callTraceWords,
  attributes: callTraceAttributes,
  relationships: { entries: callTraceEntries },
  filters: callTraceFilters,
});

export const callTraceLines = owned('call_trace_entries', { group: 'Panel', ...callTraceEntryType('customer') });

export const callRefusals = owned('call_refusals', {
  group: 'Panel',
  noun: 'call refusal',
  summary: 'Refused calls of one day, counted by rule and number.',
  attributes: {
    ...callRefusalAttributes,
    source: text({
      nullable: true,
      column: "case when t.direction = 'out' then t.source end",
      doc: 'The address that the calls out came from.',
    }),
  },
  filters: callRefusalFilters,
  sort: ['last_seen', 'count'],
  defaultSort: '-last_seen',
  endpoints: { read: false },
});
