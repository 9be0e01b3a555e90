/** Builds the CDRs of an ended inbound call, one per attempt, for the table and for the CDR stream. */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { CdrsInTable } from '../../../engines/db/tables/calls.ts';
import { formatTrimmed, grossOf } from '../../money/decimal.ts';
import { type Disconnect, durationOf } from '../call.ts';
import { ringingTimeoutCode, sipCodeOf } from '../disconnect-codes.ts';
import { timestamp, timestampOrNull } from '../moment.ts';
import type { Cdr } from '../ports.ts';
import { amountOf, type Charge, chargeFor, flatCharge, shownRate } from '../rates.ts';
import { soundColumns, type WithSound } from '../sound.ts';
import type { InboundAttempt, InboundCall } from './call.ts';

export interface Charges {
  tollFree: Charge | null;
  pstn: Charge | null;
  metered: Charge | null;
  cnam: Charge | null;
}

const noCharges: Charges = { tollFree: null, pstn: null, metered: null, cnam: null };

/**
 * The answered attempt, always the last one, pays for the minutes; the attempt that delivered the caller's name pays
 * for the lookup.
 */
export function chargesOf(call: InboundCall): Charges {
  const seconds = durationOf(call);
  return {
    tollFree: chargeFor(call.tollFreeRate, seconds, call.vatRate),
    pstn: chargeFor(call.attempts.at(-1)?.forwardingRate ?? null, seconds, call.vatRate),
    metered: call.channel === 'metered' ? chargeFor(call.meteredRate, seconds, call.vatRate) : null,
    cnam: flatCharge(named(call)?.nameLookupRate ?? null, call.vatRate),
  };
}

/** The first attempt whose trunk got the caller's name; only that is charged. */
const named = (call: InboundCall): InboundAttempt | null =>
  call.attempts.find((attempt) => attempt.nameLookupRate !== null && isDelivered(call, attempt)) ?? null;

/**
 * Whether the trunk was reached, as far as is known: it is not where this end gave up for another reason than the
 * ringing.
 */
function isDelivered(call: InboundCall, attempt: InboundAttempt): boolean {
  if (call.timeConnect !== null && attempt === call.attempts.at(-1)) return true;
  const { disconnect } = attempt;
  return disconnect?.initiator !== 'switch' || disconnect.code === ringingTimeoutCode;
}

/** A call that was refused before any attempt has one CDR, without a trunk. */
export function inboundCdrs(call: InboundCall, charges: Charges): Cdr[] {
  if (call.accountId === null || call.timeEnd === null || call.disconnect === null) return [];
  const endedCall = { ...call, accountId: call.accountId, timeEnd: call.timeEnd, disconnect: call.disconnect };
  const attempts = call.attempts.length > 0 ? call.attempts : [null];
  return attempts.map((attempt, index) => {
    const isLast = index === attempts.length - 1;
    const cnam = attempt !== null && attempt === named(call) ? charges.cnam : null;
    return cdrOf(endedCall, attempt, index + 1, isLast, { ...(isLast ? charges : noCharges), cnam });
  });
}

type EndedCall = InboundCall & { accountId: string; timeEnd: Date; disconnect: Disconnect };

function cdrOf(
  call: EndedCall,
  attempt: InboundAttempt | null,
  number: number,
  isLast: boolean,
  charges: Charges,
): Cdr {
  const timeConnect = isLast ? call.timeConnect : null;
  const disconnect = attempt?.disconnect ?? call.disconnect;
  const row: WithSound<Insertable<CdrsInTable>> = {
    id: randomUUID(),
    call_id: call.id,
    account_id: call.accountId,
    attempt: number,
    is_last: isLast,
    time_start: attempt?.startedAt ?? call.timeStart,
    time_connect: timeConnect,
    time_end: attempt?.endedAt ?? call.timeEnd,
    success: timeConnect !== null,
    src_number: call.srcNumber,
    src_name: attempt?.callerName ?? call.srcName,
    did_number: call.didNumber,
    duration: timeConnect === null ? 0 : durationOf(call),
    disconnect_code: disconnect.code,
    response: disconnect.reason,
    disconnect_initiator: initiators[disconnect.initiator].name,
    voice_in_trunk_id: attempt?.trunkId ?? null,
    voice_in_trunk_name: attempt?.trunkName ?? null,
    destination: attempt?.destination ?? null,
    trunk_group_name: call.trunkGroupName,
    capacity_group_name: call.capacityGroupName,
    toll_free_amount: amountOf(charges.tollFree),
    pstn_amount: amountOf(charges.pstn),
    metered_amount: amountOf(charges.metered),
    cnam_amount: amountOf(charges.cnam),
    leg_call_id: attempt?.callId ?? null,
    caller_call_id: call.callerCallId,
    user_agent: call.userAgent,
    carrier_id: call.carrier?.id ?? null,
    carrier_name: call.carrier?.name ?? null,
    caller_verdict: call.callerVerdict?.result ?? null,
    caller_attestation: call.callerVerdict?.attestation ?? null,
    caller_signer: call.callerVerdict?.signer ?? null,
    caller_verdict_reason: call.callerVerdict?.reason ?? null,
    signed_as: attempt?.signed?.as ?? null,
    signed_origid: attempt?.signed?.origid ?? null,
    ...soundColumns(isLast ? call.sound : null),
  };
  const fromDestination = disconnect.initiator === 'destination';
  const attributes = () => ({
    local_tag: call.id,
    did_number: call.didNumber,
    src_number: call.srcNumber,
    src_name: row.src_name,
    dst_number: call.didNumber,
    trunk_destination: row.destination,
    time_start: timestamp(row.time_start),
    time_connect: timestampOrNull(timeConnect),
    time_end: timestamp(row.time_end),
    duration: row.duration,
    success: row.success,
    is_last_cdr: isLast,
    is_redirected: number > 1,
    routing_attempt: number,
    early_media_present: attempt?.earlyMedia ?? false,
    disconnect_initiator: initiators[disconnect.initiator].number,
    internal_disconnect_code: disconnect.code,
    internal_disconnect_reason: disconnect.reason,
    legb_disconnect_code: fromDestination ? sipCodeOf(disconnect.code) : null,
    legb_disconnect_reason: fromDestination ? disconnect.reason : null,
    term_call_id: row.leg_call_id,
    user_agent: call.userAgent,
    transport_protocol_id: attempt?.transportProtocolId ?? null,
    out_pop_id: attempt?.popId ?? null,
    customer_vat: call.vatRate,
    ...chargeGroup('tf', charges.tollFree),
    ...chargeGroup('trm', charges.pstn),
    ...chargeGroup('metered_channels', charges.metered),
    ...subCustomerGroup('sub_customer_tf'),
    ...subCustomerGroup('sub_customer_trm'),
  });
  return { row, stream: () => ({ type: 'inbound-cdr', id: row.id, attributes: attributes() }) };
}

/** Names in the export and numbers in the stream. */
const initiators = {
  switch: { name: 'Switch', number: 1 },
  destination: { name: 'Destination', number: 2 },
  origination: { name: 'Origination', number: 3 },
} as const;

function chargeGroup(name: string, charge: Charge | null): Record<string, unknown> {
  return {
    [`${name}_rate`]: charge && shownRate(charge.rate.perMinute),
    [`${name}_connection_fee`]: charge && shownRate(charge.rate.connectionFee),
    [`${name}_initial_interval`]: charge?.rate.initialInterval ?? null,
    [`${name}_next_interval`]: charge?.rate.nextInterval ?? null,
    [`${name}_duration`]: charge?.billedSeconds ?? 0,
    [`${name}_amount`]: formatTrimmed(charge === null ? 0n : grossOf(charge.price)),
    [`${name}_amount_no_vat`]: formatTrimmed(charge?.price.net ?? 0n),
  };
}

/** There are no sub-customers here; the members are present but empty because receivers may expect them. */
function subCustomerGroup(name: string): Record<string, null> {
  const members = ['rate', 'connection_fee', 'initial_interval', 'next_interval', 'duration', 'amount'];
  return Object.fromEntries(members.map((member) => [`${name}_${member}`, null]));
}
