/** Decides whether a customer's outbound call may be placed, with which caller id, and at what price. Pure. */
import { BlockList, isIP } from 'node:net';
import { fits } from '../channels.ts';
import type { Random } from '../inbound/trunk-order.ts';

/** The parts of the INVITE that the decision needs. */
export interface OutboundRequest {
  sourceIp: string;
  /** Set if the INVITE had credentials; the SIP layer checks them, because it knows the nonce. */
  digest: { username: string; valid: boolean } | null;
  twilioAccountSid: string | null;
  /** Digits, with or without a leading `+`. */
  from: string;
  to: string;
}

export interface OutboundTrunk {
  id: string;
  accountId: string;
  name: string;
  status: 'active' | 'blocked';
  authentication:
    | { type: 'credentials_and_ip'; allowedIps: readonly string[]; techPrefix: string | null; username: string }
    | { type: 'ip_only'; allowedIps: readonly string[]; techPrefix: string | null }
    | { type: 'twilio'; accountSid: string };
}

export type Identified =
  | { trunk: OutboundTrunk }
  | { challenge: true }
  | { code: number; reason: OutboundRefusalReason };

/**
 * Finds the trunk of a request. Credentials and address must both match; a request without credentials is challenged.
 */
export function identify(request: OutboundRequest, trunks: readonly OutboundTrunk[]): Identified {
  const fitting = trunks.filter(({ authentication }) =>
    authentication.type === 'twilio'
      ? authentication.accountSid.toLowerCase() === request.twilioAccountSid?.toLowerCase()
      : isWithin(request.sourceIp, authentication.allowedIps),
  );
  const twilio = fitting.find(({ authentication }) => authentication.type === 'twilio');
  if (twilio) return { trunk: twilio };
  if (request.digest !== null) {
    const { username, valid } = request.digest;
    const own = fitting.find(
      ({ authentication }) => authentication.type === 'credentials_and_ip' && authentication.username === username,
    );
    return own && valid ? { trunk: own } : refused('not_authorized');
  }
  // Several customers may share an address behind one carrier; the longest matching prefix decides.
  const byAddress = fitting
    .filter(
      ({ authentication }) =>
        authentication.type === 'ip_only' && request.to.startsWith(authentication.techPrefix ?? ''),
    )
    .sort((a, b) => techPrefixOf(b).length - techPrefixOf(a).length);
  const [open] = byAddress;
  if (open) return { trunk: open };
  return fitting.some(({ authentication }) => authentication.type === 'credentials_and_ip')
    ? { challenge: true }
    : refused('not_authorized');
}

export interface OutboundFacts {
  trunk: OutboundTrunk;
  thresholdReached: boolean;
  capacityLimit: number | null;
  inUse: number;
  defaultDstAction: 'allow_all' | 'reject_all';
  dstPrefixes: readonly string[];
  onCliMismatch: 'reject_call' | 'send_original_cli' | 'replace_cli' | 'randomize_cli';
  /** The numbers allowed as caller id: those assigned to the trunk, or all numbers of the account. */
  cliNumbers: readonly string[];
  defaultNumber: string | null;
  hasRate: boolean;
  /** Balance plus credit, in ten-thousandths. */
  spendable: bigint;
}

export type OutboundDecision =
  | { srcNumber: string; destination: string }
  | { code: number; reason: OutboundRefusalReason };

export type OutboundRefusalReason =
  | 'not_authorized'
  | 'trunk_blocked'
  | 'threshold_reached'
  | 'tech_prefix_missing'
  | 'not_a_number'
  | 'destination_refused'
  | 'cli_mismatch'
  | 'no_rate'
  | 'insufficient_balance'
  | 'trunk_limit';

const codes: Readonly<Record<OutboundRefusalReason, number>> = {
  not_authorized: 403,
  trunk_blocked: 403,
  threshold_reached: 403,
  tech_prefix_missing: 403,
  not_a_number: 484,
  destination_refused: 403,
  cli_mismatch: 403,
  no_rate: 404,
  insufficient_balance: 402,
  trunk_limit: 480,
};

export const outboundReasons: Readonly<Record<OutboundRefusalReason, string>> = {
  not_authorized: 'Not authorized',
  trunk_blocked: 'Trunk is blocked',
  threshold_reached: 'Spending threshold reached',
  tech_prefix_missing: 'Tech prefix is missing',
  not_a_number: 'Destination is not a number',
  destination_refused: 'Destination is not allowed',
  cli_mismatch: 'Caller id is not allowed',
  no_rate: 'No rate to this destination',
  insufficient_balance: 'Balance too low',
  trunk_limit: 'Capacity limit of the trunk reached',
};

export function decide(
  request: Pick<OutboundRequest, 'from' | 'to'>,
  facts: OutboundFacts,
  random: Random = Math.random,
): OutboundDecision {
  if (facts.thresholdReached) return refused('threshold_reached');
  if (facts.trunk.status === 'blocked') return refused('trunk_blocked');
  const destination = strippedDestination(request.to, facts.trunk);
  if (destination === null) return refused('tech_prefix_missing');
  if (!isNumber(destination)) return refused('not_a_number');
  if (!isAllowed(destination, facts)) return refused('destination_refused');
  const srcNumber = callerId(request.from.replace(/^\+/, ''), facts, random);
  if (srcNumber === null) return refused('cli_mismatch');
  if (!facts.hasRate) return refused('no_rate');
  if (facts.spendable <= 0n) return refused('insufficient_balance');
  if (!fits(facts.inUse, facts.capacityLimit)) return refused('trunk_limit');
  return { srcNumber, destination };
}

/** The dialled number without the trunk's tech prefix; null if the prefix is missing. */
export function strippedDestination(to: string, trunk: Pick<OutboundTrunk, 'authentication'>): string | null {
  const prefix = techPrefixOf(trunk);
  return to.startsWith(prefix) ? to.slice(prefix.length).replace(/^\+/, '') : null;
}

const isNumber = (dialled: string): boolean => /^\d{1,20}$/.test(dialled);

/** The listed prefixes are exceptions from the default action. */
function isAllowed(destination: string, { defaultDstAction, dstPrefixes }: OutboundFacts): boolean {
  const isListed = dstPrefixes.some((prefix) => destination.startsWith(prefix));
  return defaultDstAction === 'allow_all' ? !isListed : isListed;
}

function callerId(from: string, facts: OutboundFacts, random: Random): string | null {
  if (facts.cliNumbers.includes(from)) return from;
  switch (facts.onCliMismatch) {
    case 'send_original_cli':
      return from;
    case 'replace_cli':
      return facts.defaultNumber;
    case 'randomize_cli':
      return facts.cliNumbers[Math.floor(random() * facts.cliNumbers.length)] ?? null;
    case 'reject_call':
      return null;
  }
}

const refused = (reason: OutboundRefusalReason) => ({ code: codes[reason], reason });

const techPrefixOf = ({ authentication }: Pick<OutboundTrunk, 'authentication'>): string =>
  authentication.type === 'twilio' ? '' : (authentication.techPrefix ?? '');

export function isWithin(address: string, ranges: readonly string[]): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    const type = isIP(network) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(network, Number(bits ?? (type === 'ipv6' ? 128 : 32)), type);
  }
  return list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
