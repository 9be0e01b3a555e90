/** `calls` of `/panel/v1`: inbound calls that have ended, one record for each; `/v3` has them as exports only. */
import { boolean, dateTime, integer, text } from '../jsonapi/attributes.ts';
import { anyOf, flag } from '../jsonapi/filters.ts';
import { owned } from './context.ts';

export const calls = owned('calls', {
  group: 'Panel',
  noun: 'call',
  summary: 'An inbound call that has ended.',
  table: 'cdrs_in',
  visible: () => 't.is_last',
  attributes: {
    call_id: text({ doc: 'The id of the call in events and exports.' }),
    src_number: text({ doc: 'Who called.' }),
    did_number: text({ doc: 'The number that was called.' }),
    time_start: dateTime({ doc: 'When it arrived.' }),
    duration: integer({ doc: 'Seconds from answer to end.' }),
    success: boolean({ doc: 'Whether it was answered.' }),
    disconnect_code: integer({ doc: 'The SIP code it ended with.' }),
    response: text({ doc: 'The words to that code.' }),
    voice_in_trunk_name: text({ nullable: true, doc: 'The trunk of its last attempt.' }),
  },
  filters: { did_number: anyOf('t.did_number', { single: true }), success: flag('t.success') },
  sort: { time_start: 't.time_start', duration: 't.duration' },
  defaultSort: '-time_start',
  endpoints: { read: false },
});
