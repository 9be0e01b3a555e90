/** The outbound implementation of `Direction`: the bodies of the Voice OUT events, the CDR and the charge. */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { CdrsOutTable } from '../../../engines/db/tables/calls.ts';
import { formatTrimmed, grossOf, toSql } from '../../money/decimal.ts';
import { durationOf } from '../call.ts';
import { type Cdr, type Direction, eventTimes, tracedParts } from '../ports.ts';
import { amountOf, type Charge, chargeFor, shownRate } from '../rates.ts';
import { isThresholdCut } from '../reservation.ts';
import { soundColumns, type WithSound } from '../sound.ts';
import type { OutboundCall } from './call.ts';
import { blockAtThreshold } from './threshold.ts';

export const outbound: Direction<OutboundCall> = {
  name: 'out',
  cdrTable: 'cdrs_out',
  eventStream: 'voice_out_events',
  cdrStream: 'voice_out_cdr',
  holding: ({ trunkId }) => ({ trunkId, trunkGroupId: null, didId: null, channel: null, sharedCapacityGroupId: null }),
  event: (kind, call) => ({
    type: `outbound-call-${kind}-event`,
    id: call.id,
    attributes: { ...shownCall(call), diversion: call.diversion, ...eventTimes(kind, call) },
  }),
  traced: (call) => ({
    ...tracedParts(call),
    dstNumber: call.dstNumber,
    trunkIds: [call.trunkId],
    trunkName: call.trunkName,
    carrierName: call.attempts.at(-1)?.carrier?.name ?? null,
    callerSide: 'customer',
    attempts: call.attempts.map(({ callId }) => ({ callId, side: 'carrier' })),
  }),
  settle(call) {
    const charge = chargeFor(call.rate, durationOf(call), call.vatRate);
    return { cdrs: [cdrOf(call, charge)], charges: charge ? [{ cause: 'call_charge', charge }] : [] };
  },
  tariff: ({ rate, vatRate }) => ({ rates: rate === null ? [] : [rate], flat: [], vatRate }),
  dialled: ({ destination }) => destination,
  beforeCharge: (trx, env, { trunkId, disconnect }) =>
    blockAtThreshold(trx, env, trunkId, disconnect !== null && isThresholdCut(disconnect)),
};

/** What events and the CDR stream show alike. */
const shownCall = (call: OutboundCall) => ({
  source_ip: call.source.address,
  source_port: call.source.port,
  call_id: call.callId,
  // Which point of presence took the call is not known; receivers expect the member.
  pop: null,
  original_src_number: call.originalSrcNumber,
  src_number: call.srcNumber,
  dst_number: call.dstNumber,
  trunk_name: call.trunkName,
  rate: call.rate && shownRate(call.rate.perMinute),
  initial_billing_interval: call.rate?.initialInterval ?? null,
  next_billing_interval: call.rate?.nextInterval ?? null,
  p_charge_info: call.pChargeInfo,
});

const callTypeOf = ({ emergency }: OutboundCall) => (emergency ? 'EMERGENCY' : 'INTERNATIONAL');

/**
 * What the carrier of the last attempt charges for the call. The operator sees it; events and streams do not have it.
 */
function carrierCost(call: OutboundCall, charge: Charge | null) {
  const rate = call.attempts.at(-1)?.cost ?? null;
  if (rate === null) return { carrier_rate: null, carrier_cost: null, margin: null };
  const cost = chargeFor(rate, durationOf(call), '0')?.price.net ?? 0n;
  return {
    carrier_rate: rate.perMinute,
    carrier_cost: toSql(cost),
    margin: toSql((charge?.price.net ?? 0n) - cost),
  };
}

function cdrOf(call: OutboundCall, charge: Charge | null): Cdr {
  if (call.timeEnd === null || call.disconnect === null) throw new Error('a call that has not ended has no CDR');
  const { carrier, signed } = call.attempts.at(-1) ?? {};
  const row: WithSound<Insertable<CdrsOutTable>> = {
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
    call_type: callTypeOf(call),
    rate: call.rate?.perMinute ?? null,
    price: amountOf(charge),
    p_charge_info: call.pChargeInfo,
    leg_call_id: call.callId,
    user_agent: call.userAgent,
    carrier_id: carrier?.id ?? null,
    carrier_name: carrier?.name ?? null,
    signed_as: signed?.as ?? null,
    signed_origid: signed?.origid ?? null,
    ...soundColumns(call.sound),
    ...carrierCost(call, charge),
  };
  const attributes = () => ({
    ...shownCall(call),
    ...eventTimes('end', call),
    source_protocol: call.source.protocol,
    call_type: row.call_type,
    disconnect_code: row.disconnect_code,
    disconnect_reason: row.disconnect_reason,
    price: formatTrimmed(charge === null ? 0n : grossOf(charge.price)),
    billing_duration: row.billing_duration,
    success: row.success,
    user_agent: call.userAgent,
  });
  return { row, stream: () => ({ type: 'outbound-cdr', id: row.id, attributes: attributes() }) };
}
