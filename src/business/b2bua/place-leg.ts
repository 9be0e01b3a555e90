/** Sends the INVITE of a leg as its plan says. */
import type { OutgoingCall, OutgoingUser } from '../../engines/sip/dialog/outgoing-call.ts';
import type { SessionUser } from '../../engines/sip/dialog/session.ts';
import type { Target } from '../../engines/sip/transport/wire.ts';
import type { DialPlan } from './dial-plan.ts';
import type { SipEndpoint } from './endpoint.ts';
import { withAddress } from './legs.ts';
import { sdpContent } from './sdp.ts';

interface NewLeg {
  callId: string;
  targets: readonly Target[];
  /** Undefined for a delayed offer. */
  offer: Buffer | undefined;
  /** What is left of the hops of the call. */
  hops: number;
  /** Reliable responses are acknowledged by the user of the leg; default: at once. */
  manualPrack?: boolean;
}

export function placeLeg(
  endpoint: SipEndpoint,
  plan: DialPlan,
  { callId, targets, offer, hops, manualPrack = false }: NewLeg,
  user: OutgoingUser,
  sessionUser: SessionUser,
): OutgoingCall {
  const { from, to, headers, account, ringingMs, reliable, expires } = plan;
  return endpoint.place(
    {
      ...{ from, to, callId, targets, account, ringingMs, reliable, expires, manualPrack },
      uri: plan.resolveUri && targets[0] ? withAddress(plan.uri, targets[0]) : plan.uri,
      noResponseMs: plan.noResponseMs(targets.length),
      ...(plan.routes && { routes: plan.routes }),
      maxForwards: Math.min(hops, 70) - 1,
      extra: { headers, content: offer && sdpContent(offer) },
    },
    user,
    sessionUser,
  );
}
