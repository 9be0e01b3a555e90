/** A call for one of our numbers: routed by the call engine, dialled at its trunks one after another. */
import { isWebSocket } from '../../engines/sip/transport/wire.ts';
import type { Verdict } from '../../engines/stir/verify.ts';
import type { Carrier, Source } from '../voice/call.ts';
import { isCarrierFailure } from '../voice/carriers/find-routes.ts';
import { arrive } from '../voice/inbound/arrive.ts';
import type { InboundAttempt, InboundCall } from '../voice/inbound/call.ts';
import type { RouteTrunk } from '../voice/inbound/route.ts';
import type { Failure, LiveCall } from '../voice/live-call.ts';
import type { ArrivingCall } from './arriving-call.ts';
import { factsOf, storedVerdict, verdictText } from './caller-verdict.ts';
import { carrierPlan } from './dial-carrier.ts';
import type { DialPlan, Rounds } from './dial-plan.ts';
import { hostPlan, trunkPlan } from './dial-trunk.ts';
import { type Caller, callerOf, userAgentOf } from './identity.ts';
import { browserEncryption, browserNeedsEngine, carrierMedia } from './leg-media.ts';
import { withUser } from './registrations.ts';
import { sdpOf } from './sdp.ts';
import { signForwardedCall } from './signed-calls.ts';
import type { SipConfiguration, TrunkAttempt } from './trunk-attempt.ts';

export async function takeInbound(arriving: ArrivingCall, didNumber: string, carrier: Carrier | null): Promise<void> {
  const { voice, caller, at, note } = arriving;
  const { request } = caller.transaction;
  const calling = callerOf(request, true);
  const { address, port, transport: protocol } = arriving.source;
  const source: Source = { address, port, protocol };
  const arrived = await arrive(voice, {
    ...{ didNumber, source, at, note },
    srcNumber: calling.number,
    srcName: calling.name,
    callId: request.callId,
    userAgent: userAgentOf(request),
    ...(carrier && { carrier }),
  });
  if (arrived.refusal) return arriving.refuse(arrived.refusal);
  const { live } = arrived;
  let verified: Promise<Verdict | null> | null = null;
  const verdict = async () => {
    const found = await arriving.verifyCaller?.(
      request.headers.all('Identity'),
      factsOf(request, didNumber),
      carrier?.id ?? address,
    );
    if (found) live.learned({ callerVerdict: storedVerdict(found) }, verdictText(found));
    return found ?? null;
  };
  await arriving.bridge({
    live,
    callerMedia: carrierMedia,
    plan: async () => {
      // Once for all attempts, and when nothing of the call waits for the database any more.
      verified ??= verdict();
      const found = await verified;
      const attempt = live.call.attempts.at(-1);
      if (attempt === undefined) throw new Error('a routed call has no attempt');
      if (live.target.type === 'pstn_configurations') {
        return forwardingPlans(arriving, { live, attempt, trunk: live.target, caller: calling, verdict: found });
      }
      return plansFor(arriving, live.call, attempt, live.target, calling);
    },
  });
}

const notRegistered: Failure = { code: 480, reason: 'The trunk is not registered', initiator: 'switch' };
const noCarrier: Failure = { code: 503, reason: 'No carrier to this destination', initiator: 'switch' };

async function plansFor(
  arriving: ArrivingCall,
  call: InboundCall,
  attempt: InboundAttempt,
  trunk: RouteTrunk,
  caller: Caller,
): Promise<Rounds | Failure> {
  const { endpoint } = arriving;
  const { request } = arriving.caller.transaction;
  const { configuration, switches } = trunk;
  const dialled: TrunkAttempt = { endpoint, request, call, attempt, caller, configuration, switches };
  return configuration.enabled_sip_registration === true ? registeredPlans(arriving, dialled) : [[hostPlan(dialled)]];
}

/** Contacts of the same priority ring together, unless the trunk is switched to one after another. */
async function registeredPlans(
  { registrations, endpoint }: ArrivingCall,
  dialled: TrunkAttempt,
): Promise<Rounds | Failure> {
  const { configuration, call, switches, request } = dialled;
  const contacts = await registrations.contacts(configuration.incoming_auth_username ?? '');
  if (contacts.length === 0) return notRegistered;
  const planned = contacts.map(({ uri, target, routes, priority }) => {
    const dialledUri = configuration.use_did_in_ruri === true ? withUser(uri, call.didNumber) : uri;
    const phone = isWebSocket(target.transport) ? { ...dialled, configuration: forBrowser(configuration) } : dialled;
    const usual = trunkPlan(phone, dialledUri, async () => [target]);
    const plan: DialPlan = {
      ...usual,
      media: { ...usual.media, isBrowser: isWebSocket(target.transport) },
      toPeer: (sdp) => {
        const sent = usual.toPeer(sdp);
        const isAlone = endpoint.media === null && isWebSocket(target.transport);
        return typeof sent === 'string' && isAlone ? browserNeedsEngine : sent;
      },
      routes,
      triesNext: (status) => status === 408 || status === 480 || status === 503,
    };
    return { plan, priority };
  });
  // Offers of several phones in reliable responses could not all be answered by a caller who makes none.
  const isOneByOne =
    switches.contacts === 'one_by_one' || (switches.reliable === 'required' && sdpOf(request) === null);
  if (isOneByOne) return planned.map(({ plan }) => [plan]);
  return [...Map.groupBy(planned, ({ priority }) => priority).values()].map((round) => round.map(({ plan }) => plan));
}

interface ForwardedAttempt {
  live: LiveCall<InboundCall, RouteTrunk>;
  attempt: InboundAttempt;
  trunk: RouteTrunk;
  caller: Caller;
  verdict: Verdict | null;
}

const forBrowser = (configuration: SipConfiguration): SipConfiguration => ({
  ...configuration,
  media_encryption_mode: browserEncryption(configuration.media_encryption_mode ?? 'disabled'),
});

/** A PSTN trunk: the call goes on through the operator's carriers, with the caller's number. */
async function forwardingPlans(
  { endpoint, findRoutes, caller: { transaction } }: ArrivingCall,
  { live, attempt, trunk, caller, verdict }: ForwardedAttempt,
): Promise<Rounds | Failure> {
  const destination = String(trunk.configuration.dst);
  const routes = await findRoutes(destination, null);
  if (routes.length === 0) return noCarrier;
  const { number: callerId, name, isPrivate } = caller;
  const { request } = transaction;
  const { didNumber, carrier } = live.call;
  const forwarded = { request, verdict, didNumber, caller: callerId, destination, carrierId: carrier?.id ?? null };
  return routes.map((route) => {
    const identity = () => signForwardedCall({ endpoint, live, route }, forwarded);
    const plan = carrierPlan({ endpoint, route, destination, callerId, name, isPrivate, identity });
    return [{ ...plan, ringingMs: attempt.ringingTimeoutSeconds * 1000, triesNext: isCarrierFailure }];
  });
}
