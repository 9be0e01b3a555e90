/** Asks the customer's server whether a verification may start (specification, Events; contract section 7). */
import type { Environment } from '../environment.ts';
import { countOutgoing, resultOf } from '../outbound/metrics.ts';
import { wireUrl } from '../outbound/outbound-address.ts';
import type { OtpApplication } from './application.ts';
import { registeredPath, sign } from './authorization.ts';
import type { DenialCode } from './errors.ts';
import type { DeliveryMethod } from './fields.ts';

export interface ApprovalRequest {
  id: string;
  destination: string;
  deliveryMethod: DeliveryMethod;
  /** What the client sent for this server's eyes. */
  custom: string | null;
}

const jsonType = 'application/json';
const readTimeoutMs = 15_000;
/** Connecting may take five seconds more. */
const timeoutMs = readTimeoutMs + 5_000;
const maxResponseBytes = 8192;

/** Null when the start is allowed. One request, no retry; whatever is not a clear answer is a denial. */
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
    const answer = await env.outbound.request({
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
      // It is asked once: a kept connection that its server has just closed would be a denial.
      freshConnection: true,
    });
    const ok = answer.status >= 200 && answer.status <= 299;
    countOutgoing(env, 'approval', { ok, result: answer.status });
    return decisionOf(answer.status, answer.body);
  } catch (error) {
    countOutgoing(env, 'approval', { ok: false, result: resultOf(error) });
    env.log.info({ err: error, application: application.key }, 'an approval callback failed');
    return 'denied_invalid_callback_response';
  }
}

export function decisionOf(status: number, body: Buffer): DenialCode | null {
  if (status < 200 || status > 299) return 'denied_invalid_callback_response';
  let answer: unknown;
  try {
    answer = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return 'denied_invalid_callback_response';
  }
  const action = typeof answer === 'object' && answer !== null && 'action' in answer ? answer.action : undefined;
  if (action === 'allow') return null;
  return action === 'deny' ? 'denied_by_callback' : 'denied_invalid_callback_response';
}
