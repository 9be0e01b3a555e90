/** Decides whether a customer's outbound call may be placed, with which caller id, and at what price. Pure. */
import type { AuthenticationType } from '../../../engines/db/tables/voice.ts';
import { fits } from '../channels.ts';
import type { Refusal } from '../disconnect-codes.ts';
import { isEmergencyNumber, isEmergencyNumberIn } from '../emergency-numbers.ts';
import type { Random } from '../inbound/trunk-order.ts';
import { noMoneyRefusals } from '../reservation.ts';

/** The parts of the INVITE that the decision needs. */
export interface OutboundRequest {
  sourceIp: string;
  /** Set if the INVITE had credentials. The SIP layer checks the response, because it knows the nonce. */
  digest: { username: string; isMadeWith(password: string): boolean } | null;
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
  authentication: AuthenticationType;
  /** Empty if the trunk has none. */
  techPrefix: string;
  username: string | null;
  password: string | null;
}

type Identified = { trunk: OutboundTrunk } | { challenge: true } | OutboundRefusal;

/**
 * Finds the trunk of a request among those that allow its address or its Twilio account. Credentials and address must
 * both match; a request without credentials is challenged.
 */
export function identify(request: OutboundRequest, candidates: readonly OutboundTrunk[]): Identified {
  const known = (type: AuthenticationType) => candidates.filter(({ authentication }) => authentication === type);
  const [twilio] = known('twilio');
  if (twilio) return { trunk: twilio };
  const { digest, to } = request;
  if (digest !== null) {
    const own = known('credentials_and_ip').find(({ username }) => username === digest.username);
    return own && own.password !== null && digest.isMadeWith(own.password) ? { trunk: own } : refused('not_authorized');
  }
  // Several customers may share an address behind one carrier; the longest matching prefix decides.
  const [open] = known('ip_only')
    .filter(({ techPrefix }) => to.startsWith(techPrefix))
    .sort((a, b) => b.techPrefix.length - a.techPrefix.length);
  if (open) return { trunk: open };
  return known('credentials_and_ip').length > 0 ? { challenge: true } : refused('not_authorized');
}

export interface OutboundFacts {
  trunk: OutboundTrunk;
  /** The account is suspended or closed. */
  suspended: boolean;
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
  /** Null if an emergency call from this caller id is not allowed, and for every other call. */
  emergencyCaller: EmergencyCaller | null;
}

/** A number that is enabled for emergency calls through the trunk: where its user is. */
export interface EmergencyCaller {
  number: string;
  /** ISO code of the number's country. */
  country: string;
  countryName: string;
  /** Null if the registered address was deleted. */
  address: EmergencyAddress | null;
}

/** The address that the emergency services are told; personal data. */
interface EmergencyAddress {
  name: string;
  companyName: string | null;
  address: string;
  city: string;
  postalCode: string;
  /** ISO code. */
  country: string;
}

const refusals = {
  not_authorized: { code: 403, text: 'Not authorized' },
  account_suspended: { code: 403, text: 'Account is suspended' },
  trunk_blocked: { code: 403, text: 'Trunk is blocked' },
  tech_prefix_missing: { code: 403, text: 'Tech prefix is missing' },
  not_a_number: { code: 484, text: 'Destination is not a number' },
  destination_refused: { code: 403, text: 'Destination is not allowed' },
  cli_mismatch: { code: 403, text: 'Caller id is not allowed' },
  no_rate: { code: 404, text: 'No rate to this destination' },
  ...noMoneyRefusals,
  trunk_limit: { code: 480, text: 'Capacity limit of the trunk reached' },
  no_carrier: { code: 503, text: 'No carrier to this destination' },
  emergency_not_enabled: { code: 403, text: 'Caller id is not enabled for emergency calls' },
  emergency_number_elsewhere: { code: 404, text: 'Not an emergency number in the country of the caller id' },
  no_emergency_carrier: { code: 503, text: 'No carrier for emergency calls from this country' },
} as const;

/** The rules of this table. */
export const outboundReasons: ReadonlySet<string> = new Set(Object.keys(refusals));

export type OutboundRefusal = Refusal<keyof typeof refusals>;

export const refused = (reason: keyof typeof refusals): OutboundRefusal => ({ reason, ...refusals[reason] });

type OutboundDecision = { srcNumber: string; destination: string } | OutboundRefusal;

export function decide(
  request: Pick<OutboundRequest, 'from' | 'to'>,
  facts: OutboundFacts,
  random: Random = Math.random,
): OutboundDecision {
  const destination = strippedDestination(request.to, facts.trunk);
  if (destination !== null && isEmergencyNumber(destination)) return decideEmergency(destination, facts);
  if (facts.suspended) return refused('account_suspended');
  if (facts.thresholdReached) return refused('threshold_reached');
  if (facts.trunk.status === 'blocked') return refused('trunk_blocked');
  if (destination === null) return refused('tech_prefix_missing');
  if (!/^\d{1,20}$/.test(destination)) return refused('not_a_number');
  if (!isAllowed(destination, facts)) return refused('destination_refused');
  const srcNumber = callerId(request.from.replace(/^\+/, ''), facts, random);
  if (srcNumber === null) return refused('cli_mismatch');
  if (!facts.hasRate) return refused('no_rate');
  if (facts.spendable <= 0n) return refused('insufficient_balance');
  if (!fits(facts.inUse, facts.capacityLimit)) return refused('trunk_limit');
  return { srcNumber, destination };
}

/**
 * An emergency call depends on the caller id alone: the trunk's destinations, threshold, capacity and the account's
 * balance do not count, and the caller id is never replaced, because the address belongs to it. Only a trunk that the
 * customer has blocked does not place it.
 */
function decideEmergency(destination: string, facts: OutboundFacts): OutboundDecision {
  if (facts.trunk.status === 'blocked' && !facts.thresholdReached) return refused('trunk_blocked');
  const caller = facts.emergencyCaller;
  if (caller === null) return refused('emergency_not_enabled');
  if (!isEmergencyNumberIn(caller.country, destination)) return refused('emergency_number_elsewhere');
  return { srcNumber: caller.number, destination };
}

/** The dialled number without the trunk's tech prefix; null if the prefix is missing. */
export function strippedDestination(to: string, { techPrefix }: OutboundTrunk): string | null {
  return to.startsWith(techPrefix) ? to.slice(techPrefix.length).replace(/^\+/, '') : null;
}

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
