/** Asks the customer's server whether a verification may start (specification, Events; contract section 7). */
import type { Environment } from '../../engines/environment.ts';
import { wireUrl } from '../../engines/outbound/outbound-address.ts';
import { resultOf } from '../../engines/outbound/sent-requests.ts';
import type { OtpApplication } from './application.ts';
import { registeredPath, sign } from './authorization.ts';
import type { DenialCode } from './errors.ts';
import type { DeliveryMethod } from './fields.ts';

interface ApprovalRequest {
  id: string;
  destination: string;
  deliveryMethod: DeliveryMethod;
  /** Free text that the client sent for the callback. */
  custom: string | null;
}

const jsonType = 'application/json';
const readTimeoutMs = 15_000;
/** Connecting may take five seconds more. */
const timeoutMs = readTimeoutMs + 5_000;
const maxResponseBytes = 8192;

/** Returns null if the start is allowed. One request, no retry; any response that is not a clear decision denies it. */
export async function askForApproval(
  env: Environment,
  application: OtpApplication,
  callbackUrl: string,
  request: ApprovalRequest,
  machineNow: Date,
): Promise<DenialCode | null> {
  const body = JSON.stringify({
    event: 'verification_request',
    data: {
      id: request.id,
      destination: request.destination,
      delivery_method: request.deliveryMethod,
      ...(request.custom !== null && { custom: request.custom }),
    },
  });
  // Characters outside ASCII are signed as they are sent.
  const url = wireUrl(callbackUrl) ?? callbackUrl;
  const timestamp = String(Math.floor(machineNow.getTime() / 1000));
  const signature = sign(application.signingKey, {
    method: 'POST',
    body: Buffer.from(body),
    contentType: jsonType,
    timestamp,
    path: registeredPath(url),
  });
  try {
    const response = await env.outbound.request({
      url,
      method: 'POST',
      headers: {
        'user-agent': 'Trunkline',
        accept: jsonType,
        'content-type': jsonType,
        authorization: `Application ${application.key}:${signature}`,
        'x-timestamp': timestamp,
      },
      body,
      timeoutMs: timeoutMs,
      readTimeoutMs: readTimeoutMs,
      maxResponseBytes: maxResponseBytes,
      oversize: 'fail',
      // There is no retry, and on a kept connection that the receiver has just closed the request would fail.
      freshConnection: true,
    });
    const ok = response.status >= 200 && response.status <= 299;
    env.outbound.sent.count('approval', { ok, result: response.status });
    return decisionOf(response.status, response.body);
  } catch (error) {
    env.outbound.sent.count('approval', { ok: false, result: resultOf(error) });
    env.log.info({ err: error, application: application.key }, 'an approval callback failed');
    return 'denied_invalid_callback_response';
  }
}

export function decisionOf(status: number, body: Buffer): DenialCode | null {
  if (status < 200 || status > 299) return 'denied_invalid_callback_response';
  let decision: unknown;
  try {
    decision = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return 'denied_invalid_callback_response';
  }
  const action =
    typeof decision === 'object' && decision !== null && 'action' in decision ? decision.action : undefined;
  if (action === 'allow') return null;
  return action === 'deny' ? 'denied_by_callback' : 'denied_invalid_callback_response';
}
