/** Builds the CDR of an ended outbound call, for the table and for the CDR stream. */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { CdrsOutTable } from '../../db/tables/voice.ts';
import { formatTrimmed, grossOf } from '../../money/decimal.ts';
import { durationOf } from '../call.ts';
import { timestamp, timestampOrNull } from '../moment.ts';
import type { CallEvent } from '../ports.ts';
import { amountOf, type Charge, chargeFor, shownRate } from '../rates.ts';
import type { OutboundCall } from './call.ts';

export const outboundCharge = (call: OutboundCall): Charge | null =>
  chargeFor(call.rate, durationOf(call), call.vatRate);

const callType = 'INTERNATIONAL';

export function outboundCdr(
  call: OutboundCall,
  charge: Charge | null,
): { row: Insertable<CdrsOutTable>; stream: CallEvent } {
  if (call.timeEnd === null || call.disconnect === null) throw new Error('a call that has not ended has no CDR');
  const carrier = call.attempts.at(-1)?.carrier;
  const row: Insertable<CdrsOutTable> = {
    id: randomUUID(),
    call_id: call.id,
    account_id: call.accountId,
    voice_out_trunk_id: call.trunkId,
    voice_out_trunk_name: call.trunkName,
    time_start: call.timeStart,
    time_connect: call.timeConnect,
    time_end: call.timeEnd,
    success: call.timeConnect !== null,
    src_number: call.srcNumber,
    original_src_number: call.originalSrcNumber,
    dst_number: call.dstNumber,
    duration: durationOf(call),
    billing_duration: charge?.billedSeconds ?? 0,
    disconnect_code: call.disconnect.code,
    disconnect_reason: call.disconnect.reason,
    country: call.country,
    network: call.network,
    call_type: callType,
    rate: call.rate?.perMinute ?? null,
    price: amountOf(charge),
    p_charge_info: call.pChargeInfo,
    leg_call_id: call.callId,
    carrier_id: carrier?.id ?? null,
    carrier_name: carrier?.name ?? null,
  };
  return { row, stream: streamed(call, row, charge) };
}

function streamed(call: OutboundCall, row: Insertable<CdrsOutTable>, charge: Charge | null): CallEvent {
  return {
    type: 'outbound-cdr',
    id: row.id,
    attributes: {
      source_ip: call.source.address,
      source_port: call.source.port,
      source_protocol: call.source.protocol,
      call_id: call.callId,
      call_type: callType,
      time_start: timestamp(call.timeStart),
      time_connect: timestampOrNull(call.timeConnect),
      time_end: timestampOrNull(call.timeEnd),
      pop: call.pop,
      disconnect_code: row.disconnect_code,
      disconnect_reason: row.disconnect_reason,
      price: formatTrimmed(charge === null ? 0n : grossOf(charge.price)),
      duration: row.duration,
      billing_duration: row.billing_duration,
      rate: call.rate && shownRate(call.rate.perMinute),
      initial_billing_interval: call.rate?.initialInterval ?? null,
      next_billing_interval: call.rate?.nextInterval ?? null,
      src_number: call.srcNumber,
      original_src_number: call.originalSrcNumber,
      dst_number: call.dstNumber,
      success: row.success,
      user_agent: call.userAgent,
      trunk_name: call.trunkName,
      p_charge_info: call.pChargeInfo,
    },
  };
}
