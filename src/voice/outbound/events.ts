/** Builds the bodies of the Voice OUT events. */
import { shownRate } from '../billing.ts';
import { durationOf } from '../call.ts';
import type { CallEvent } from '../direction.ts';
import { timestamp, timestampOrNull } from '../moment.ts';
import type { OutboundCall } from './call.ts';

export const outboundStart = (call: OutboundCall): CallEvent => event('outbound-call-start-event', call, {});

export const outboundConnect = (call: OutboundCall): CallEvent =>
  event('outbound-call-connect-event', call, { time_connect: timestampOrNull(call.timeConnect) });

export const outboundEnd = (call: OutboundCall): CallEvent =>
  event('outbound-call-end-event', call, {
    time_connect: timestampOrNull(call.timeConnect),
    time_end: timestampOrNull(call.timeEnd),
    duration: durationOf(call),
  });

function event(type: string, call: OutboundCall, more: Record<string, unknown>): CallEvent {
  return {
    type,
    id: call.id,
    attributes: {
      source_ip: call.source.address,
      source_port: call.source.port,
      call_id: call.callId,
      time_start: timestamp(call.timeStart),
      pop: call.pop,
      original_src_number: call.originalSrcNumber,
      src_number: call.srcNumber,
      dst_number: call.dstNumber,
      trunk_name: call.trunkName,
      rate: call.rate && shownRate(call.rate.perMinute),
      initial_billing_interval: call.rate?.initialInterval ?? null,
      next_billing_interval: call.rate?.nextInterval ?? null,
      p_charge_info: call.pChargeInfo,
      diversion: call.diversion,
      ...more,
    },
  };
}
