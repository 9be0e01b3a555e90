/** A customer's call: authenticated and decided by the call engine, dialled through carriers one after another. */
import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { isWebSocket } from '../../engines/sip/transport/wire.ts';
import type { CarrierTarget } from '../voice/carriers/find-routes.ts';
import type { OutboundMedia } from '../voice/outbound/find-trunks.ts';
import { placeCall } from '../voice/outbound/place-call.ts';
import { phoneUser } from '../voice/phone-credentials.ts';
import type { ArrivingCall, CallRefusal } from './arriving-call.ts';
import { carrierPlan } from './dial-carrier.ts';
import type { MediaRefusal } from './dial-plan.ts';
import { emergencyHeaders } from './headers.ts';
import { callerOf, dialledOf, diversionsOf, presentedNumber, userAgentOf } from './identity.ts';
import { browserEncryption, browserNeedsEngine, customerMedia } from './leg-media.ts';
import { mayDescribe } from './media-sources.ts';
import { addressRefusal, encryptionRefusal } from './sdp.ts';
import { signCustomersCall } from './signed-calls.ts';

/** `unlisted`: the refusal for a source that is no customer's either. */
export async function takeOutbound(arriving: ArrivingCall, unlisted?: CallRefusal): Promise<void> {
  const { voice, caller, at, authentication, endpoint, source } = arriving;
  const { transaction } = caller;
  const { request } = transaction;
  const challenge = (isStale: boolean) =>
    arriving.refuse({
      ...{ code: 401, reason: 'challenged', text: 'Credentials are asked for' },
      headers: authentication.challenge(transaction, isStale),
    });
  const digest = authentication.credentials(transaction);
  if (digest === 'stale') return challenge(true);
  // Any page that a browser shows can open a WebSocket, so the address of a browser proves nothing.
  if (digest === null && isWebSocket(source.transport)) return challenge(false);
  if (isWebSocket(source.transport) && endpoint.media === null) {
    return arriving.refuse({ code: 488, reason: 'no_media_engine', text: browserNeedsEngine });
  }
  const calling = callerOf(request, false);
  // The number of a caller who is not to be shown is in an identity header; the engine checks that it is the
  // customer's.
  const from = presentedNumber(request);
  let destination = '';
  const placed = await placeCall(
    voice,
    {
      ...{ sourceIp: source.address, sourcePort: source.port, sourceProtocol: source.transport, digest, at, from },
      to: dialledOf(request.uri) ?? '',
      callId: request.callId,
      twilioAccountSid: request.headers.first('X-Twilio-AccountSid') ?? null,
      pChargeInfo: request.headers.first('P-Charge-Info') ?? null,
      diversion: diversionsOf(request),
      userAgent: userAgentOf(request),
    },
    async (number, emergencyCountry, accountId) => {
      destination = number;
      const routes = await arriving.findRoutes(number, emergencyCountry);
      if (routes.length > 0 || arriving.sandboxRoutes === null) return routes;
      return arriving.sandboxRoutes.find(number, accountId, caller);
    },
  );
  if ('challenge' in placed) return challenge(false);
  if ('code' in placed) {
    if (digest?.isStale) return challenge(true);
    if (placed.reason !== 'not_authorized') return arriving.refuse(placed);
    endpoint.guard.refused(source.address);
    return arriving.refuse(digest === null && unlisted ? unlisted : placed);
  }
  endpoint.guard.accepted(source.address);
  const { live, emergency, origin } = placed;
  const isBrowser = isWebSocket(transaction.flow.transport);
  const media = isBrowser
    ? { ...placed.media, encryptionMode: browserEncryption(placed.media.encryptionMode) }
    : placed.media;
  endpoint.webClients.called(
    transaction.flow,
    live.call.accountId,
    phoneUser(digest?.username ?? '')?.sessionId ?? null,
  );
  const plan = async () => {
    const route = live.target;
    if (route === null) throw new Error('a call without a route is simulated');
    arriving.note(`through carrier "${route.carrier.name}"`);
    return [[planFor(route)]];
  };
  const planFor = (route: CarrierTarget) => ({
    ...carrierPlan({
      ...{ endpoint, route, destination, callerId: live.call.srcNumber },
      name: calling.name,
      isPrivate: calling.isPrivate,
      headers: emergency === null ? [] : emergencyHeaders(emergency),
      identity: () => signCustomersCall({ endpoint, live, route }, { ...origin, destination }),
    }),
    // The media of both legs are described to each other, so the carrier gets what the trunk allows.
    toPeer: (sdp: Buffer) => mediaRefusal(media, sdp, endpoint.media) ?? sdp,
    triesNext: () => false,
  });
  await arriving.bridge({ live, plan, callerMedia: { ...customerMedia(media), isBrowser } });
}

/** Encryption and addresses of the customer's media must be as the trunk demands. */
function mediaRefusal(
  { encryptionMode, allowedRtpIps }: OutboundMedia,
  sdp: Buffer,
  engine: MediaEngine | null,
): MediaRefusal | null {
  return encryptionRefusal(sdp, encryptionMode) ?? addressRefusal(sdp, mayDescribe(allowedRtpIps, engine));
}
