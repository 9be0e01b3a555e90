/** One outbound call as plain data: its changes, its events, its CDR. */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { CdrsOutTable } from '../../db/tables/voice.ts';
import { formatTrimmed } from '../../money/decimal.ts';
import { amountOf, type Charge, chargeFor, type Rate, shownRate } from '../billing.ts';
import { type CallState, type Disconnect, durationOf, IllegalTransition } from '../call.ts';
import type { CallEvent } from '../inbound/events.ts';
import { timestamp, timestampOrNull } from '../moment.ts';

export interface OutboundCall {
  readonly id: string;
  readonly accountId: string;
  readonly trunkId: string;
  readonly trunkName: string;
  readonly sourceIp: string;
  readonly sourcePort: number;
  readonly sourceProtocol: string;
  /** SIP Call-ID of the customer's leg. */
  readonly callId: string;
  readonly pop: string | null;
  readonly originalSrcNumber: string;
  readonly srcNumber: string;
  /** As dialled, tech prefix included. */
  readonly dstNumber: string;
  /** Null only for a call that was refused for want of one. */
  readonly rate: Rate | null;
  readonly country: string | null;
  readonly network: string | null;
  readonly vatRate: string;
  readonly pChargeInfo: string | null;
  readonly diversion: readonly string[];
  readonly userAgent: string | null;
  readonly timeStart: Date;
  readonly state: CallState;
  readonly timeConnect: Date | null;
  readonly timeEnd: Date | null;
  readonly disconnect: Disconnect | null;
}

export function outboundAnswered(call: OutboundCall, at: Date): OutboundCall {
  if (call.state !== 'routed') throw new IllegalTransition(call.state, 'answered');
  return { ...call, state: 'answered', timeConnect: at };
}

export function outboundEnded(call: OutboundCall, disconnect: Disconnect, at: Date): OutboundCall {
  if (call.state === 'ended') throw new IllegalTransition(call.state, 'ended');
  const timeEnd = call.timeConnect !== null && at < call.timeConnect ? call.timeConnect : at;
  return { ...call, state: 'ended', timeEnd, disconnect };
}

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
      source_ip: call.sourceIp,
      source_port: call.sourcePort,
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

export const outboundCharge = (call: OutboundCall): Charge | null =>
  chargeFor(call.rate, durationOf(call), call.vatRate);

const callType = 'INTERNATIONAL';

export function outboundCdr(
  call: OutboundCall,
  charge: Charge | null,
): { row: Insertable<CdrsOutTable>; stream: CallEvent } {
  if (call.timeEnd === null || call.disconnect === null) throw new Error('a call that is up has no CDR');
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
  };
  return { row, stream: streamed(call, row, charge) };
}

function streamed(call: OutboundCall, row: Insertable<CdrsOutTable>, charge: Charge | null): CallEvent {
  return {
    type: 'outbound-cdr',
    id: row.id,
    attributes: {
      source_ip: call.sourceIp,
      source_port: call.sourcePort,
      source_protocol: call.sourceProtocol,
      call_id: call.callId,
      call_type: callType,
      time_start: timestamp(call.timeStart),
      time_connect: timestampOrNull(call.timeConnect),
      time_end: timestampOrNull(call.timeEnd),
      pop: call.pop,
      disconnect_code: row.disconnect_code,
      disconnect_reason: row.disconnect_reason,
      price: formatTrimmed(charge?.amount ?? 0n),
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
