/** Builds the bodies of the Voice IN events with the members of the specification. */
import { durationOf } from '../call.ts';
import type { CallEvent } from '../direction.ts';
import { timestamp, timestampOrNull } from '../moment.ts';
import type { InboundCall } from './call.ts';

/** Sent when routing is complete. The connecting leg is not known yet, so there is no `call_id`. */
export function incomingStart(call: InboundCall): CallEvent {
  return event('incoming-call-start-event', call, {
    time_start: timestamp(call.timeStart),
    did_number: call.didNumber,
    src_number: call.srcNumber,
  });
}

export function incomingConnect(call: InboundCall): CallEvent {
  return event('incoming-call-connect-event', call, {
    time_start: timestamp(call.timeStart),
    time_connect: timestampOrNull(call.timeConnect),
    did_number: call.didNumber,
    src_number: call.srcNumber,
    call_id: legOf(call),
  });
}

export function incomingEnd(call: InboundCall): CallEvent {
  return event('incoming-call-end-event', call, {
    time_start: timestamp(call.timeStart),
    time_connect: timestampOrNull(call.timeConnect),
    time_end: timestampOrNull(call.timeEnd),
    duration: durationOf(call),
    did_number: call.didNumber,
    src_number: call.srcNumber,
    call_id: legOf(call),
  });
}

/** The connected leg, or the last one tried. */
const legOf = (call: InboundCall): string | null => call.attempts.at(-1)?.callId ?? null;

const event = (type: string, call: InboundCall, attributes: Record<string, unknown>): CallEvent => ({
  type,
  id: call.id,
  attributes,
});
