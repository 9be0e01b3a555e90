/** Says in traces and refusals why an outbound call was placed as it was, or why it was not. */
import type { CallTrace } from '../trace/call-trace.ts';
import type { RefusedCall } from '../trace/entries.ts';
import type { OutboundRefusal, OutboundRequest, OutboundTrunk } from './decide.ts';
import type { OutboundSituation } from './find-trunks.ts';

type Refused = OutboundRequest & { callId: string };

export function refusedOutbound(
  { sourceIp, from, to, callId }: Refused,
  { reason, code, text }: OutboundRefusal,
  { accountId, about, rule = reason }: { accountId: string | null; about: string | null; rule?: string },
): RefusedCall {
  const facts = { rule, code, text, sourceAddress: sourceIp, accountId, about, srcNumber: from, dstNumber: to, callId };
  return { direction: 'out', carrierName: null, ...facts };
}

/**
 * No trunk was found. If all trunks that allow the address are of one account, that customer sees the refusal; the
 * caller is not told which of the two it was.
 */
export function unidentified(
  request: Refused,
  refusal: OutboundRefusal,
  candidates: readonly OutboundTrunk[],
): RefusedCall {
  const owners = [...new Set(candidates.map(({ accountId }) => accountId))];
  const [trunk] = candidates;
  return refusedOutbound(request, refusal, {
    accountId: owners.length === 1 ? (owners[0] ?? null) : null,
    about: candidates.length === 1 ? (trunk?.id ?? null) : null,
    rule: candidates.length === 0 ? 'unlisted_source' : 'wrong_credentials',
  });
}

const identification = {
  twilio: 'its Twilio account',
  credentials_and_ip: 'credentials and address',
  ip_only: 'address',
} as const satisfies Record<OutboundTrunk['authentication'], string>;

export function noteSituation(
  trace: CallTrace,
  { facts, rate }: OutboundSituation,
  routes: readonly ({ carrier: { name: string } } | null)[],
): void {
  const { trunk } = facts;
  trace.note(`trunk "${trunk.name}", identified by ${identification[trunk.authentication]}`);
  if (rate !== null) trace.note(`rate ${rate.perMinute} a minute${rate.country === null ? '' : ` (${rate.country})`}`);
  const names = routes.map((route) => (route === null ? 'none' : `"${route.carrier.name}"`));
  if (names.length > 0) trace.note(`carriers in order: ${names.join(', ')}`, { internal: true });
}
