/** The outbound implementation of `Direction`, with the bodies of the Voice OUT events. */
import { durationOf } from '../call.ts';
import { timestamp, timestampOrNull } from '../moment.ts';
import type { CallEvent, Direction } from '../ports.ts';
import { shownRate } from '../rates.ts';
import type { OutboundCall } from './call.ts';
import { outboundCdr, outboundCharge } from './cdr.ts';
import { blockAtThreshold } from './threshold.ts';

export const outbound: Direction<OutboundCall> = {
  name: 'out',
  cdrTable: 'cdrs_out',
  eventStream: 'voice_out_events',
  cdrStream: 'voice_out_cdr',
  holding: ({ trunkId }) => ({ trunkId, trunkGroupId: null, didId: null, channel: null, sharedCapacityGroupId: null }),
  startEvent: (call) => eventOf('outbound-call-start-event', call),
  connectEvent: (call) =>
    eventOf('outbound-call-connect-event', call, { time_connect: timestampOrNull(call.timeConnect) }),
  endEvent: (call) =>
    eventOf('outbound-call-end-event', call, {
      time_connect: timestampOrNull(call.timeConnect),
      time_end: timestampOrNull(call.timeEnd),
      duration: durationOf(call),
    }),
  settle(call) {
    const charge = outboundCharge(call);
    return { cdrs: [outboundCdr(call, charge)], charges: charge ? [{ cause: 'call_charge', charge }] : [] };
  },
  beforeCharge: (trx, env, call) => blockAtThreshold(trx, env, call.trunkId),
};

/** The body of a Voice OUT event. */
function eventOf(type: string, call: OutboundCall, more: Record<string, unknown> = {}): CallEvent {
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
