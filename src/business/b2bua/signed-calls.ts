/** The Identity header of a call on its way to a carrier: what is signed, what the call and its trace keep of it. */
import type { SipRequest } from '../../engines/sip/message/message.ts';
import { leadsHere } from '../../engines/stir/forwardable.ts';
import type { Verdict } from '../../engines/stir/verify.ts';
import { attestationOf } from '../caller-identity/attestation.ts';
import { originOfCarrier } from '../caller-identity/origin-of-carrier.ts';
import type { Statement } from '../caller-identity/signer.ts';
import { type SignedCall, withSignature } from '../voice/call.ts';
import type { CarrierTarget } from '../voice/carriers/find-routes.ts';
import type { InboundCall } from '../voice/inbound/call.ts';
import type { OutboundCall } from '../voice/outbound/call.ts';
import type { AccountOrigin } from '../voice/outbound/find-trunks.ts';
import { factsOf } from './caller-verdict.ts';
import type { SipEndpoint } from './endpoint.ts';
import type { HeaderLine } from './headers.ts';

/** A leg to a carrier, and the active call that it belongs to. */
interface SignedLeg<C extends InboundCall | OutboundCall> {
  endpoint: SipEndpoint;
  route: CarrierTarget;
  live: {
    readonly call: C;
    note(text: string): void;
    learned(details: Partial<C>, note: string): void;
  };
}

/** A caller who is not to be shown is signed as well: the carrier is told the number all the same. */
export function signCustomersCall(
  leg: SignedLeg<OutboundCall>,
  { destination, origid, ownsCaller }: AccountOrigin & { destination: string },
): Promise<HeaderLine[]> {
  const attest = attestationOf({ kind: 'customer', ownsNumber: ownsCaller });
  return sign(leg, async () => ({
    ...{ ppt: 'shaken', orig: leg.live.call.srcNumber, dest: destination, attest, origid },
  }));
}

interface ForwardedCall {
  request: SipRequest;
  /** Null where callers are not verified. */
  verdict: Verdict | null;
  didNumber: string;
  /** Digits, or `anonymous`. */
  caller: string;
  destination: string;
  carrierId: string | null;
}

/**
 * A call that goes on from one of our numbers to a telephone number. One that came with a signature keeps it, and ours
 * adds that it was forwarded; one that came without is signed as from elsewhere.
 */
export async function signForwardedCall(
  leg: SignedLeg<InboundCall>,
  { request, verdict, didNumber, caller, destination, carrierId }: ForwardedCall,
): Promise<HeaderLine[]> {
  // The number is not passed on, so no signature may have it either.
  if (caller === 'anonymous') return sign(leg, async () => ({ reason: 'the caller is not to be shown' }));
  const came = request.headers.all('Identity');
  if (came.length === 0) {
    const attest = attestationOf({ kind: 'elsewhere' });
    return sign(leg, async () => ({
      ...{ ppt: 'shaken', orig: caller, dest: destination, attest },
      origid: await originOfCarrier(leg.endpoint.env, carrierId),
    }));
  }
  const isValid =
    verdict?.result !== 'failed' && leadsHere(came, { ...factsOf(request, didNumber), orig: { tn: caller } });
  const own = await sign(leg, async () =>
    isValid
      ? { ppt: 'div', orig: caller, dest: destination, div: didNumber }
      : { reason: 'the signature that it came with is not valid for it' },
  );
  if (own.length === 0) return [];
  // Short forms among those that came are read with the Date that came with them.
  const date = request.headers.first('Date');
  return [
    ...came.map((value): HeaderLine => ['Identity', value]),
    ...own.filter(([name]) => name !== 'Date' || date === undefined),
    ...(date === undefined ? [] : [['Date', date] as const]),
  ];
}

/** A call of this environment itself, whose number is the operator's. Nothing is kept of it. */
export async function signOwnCall(
  { signer, env }: SipEndpoint,
  route: CarrierTarget,
  { caller, destination }: { caller: string; destination: string },
): Promise<HeaderLine[]> {
  const signed = route.signsCalls
    ? await signer.sign(async () => ({
        ...{ ppt: 'shaken', orig: caller, dest: destination, attest: attestationOf({ kind: 'house' }) },
        origid: await originOfCarrier(env, null),
      }))
    : null;
  return signed === null || 'reason' in signed ? [] : linesOf(signed);
}

/** Nothing for a carrier that wants no signatures, where calls are not signed, and if something is in the way. */
async function sign<C extends InboundCall | OutboundCall>(
  { endpoint, live, route }: SignedLeg<C>,
  makeStatement: () => Promise<Statement | { reason: string }>,
): Promise<HeaderLine[]> {
  const keep = (as: SignedCall | null, note: string) => live.learned(withSignature(live.call, as), note);
  const isAnew = live.call.attempts.at(-1)?.signed != null;
  const signed = route.signsCalls ? await endpoint.signer.sign(makeStatement) : null;
  if (signed === null) {
    if (isAnew) keep(null, 'not signed: this carrier wants no signatures');
    return [];
  }
  if ('reason' in signed) {
    keep(null, `not signed: ${signed.reason}`);
    return [];
  }
  const { as, origid } = signed;
  keep({ as, origid }, as === 'div' ? 'signed as forwarded' : `signed with attestation ${as}`);
  return linesOf(signed);
}

/** RFC 8224 4.1: with the time at which it was signed. */
const linesOf = ({ header, at }: { header: string; at: Date }): HeaderLine[] => [
  ['Identity', header],
  ['Date', at.toUTCString()],
];
