/**
 * Every error and every outcome of `/api/v1`: code, status and the fixed text (contract/verification.md 1.1 and 1.2).
 */

export const errorTexts = {
  parameter_missing: [400, 'request body must contain a valid data object'],
  unauthorized: [401, 'unauthorized'],
  balance_insufficient: [402, 'insufficient balance'],
  not_found: [404, 'not found'],
  destination_blank: [422, "destination can't be blank"],
  destination_invalid: [422, 'destination is invalid'],
  delivery_method_blank: [422, "delivery method can't be blank"],
  delivery_method_inclusion: [422, 'delivery method is not included in the list'],
  delivery_method_invalid: [422, 'delivery method is invalid'],
  languages_invalid: [422, 'languages are invalid'],
  app_hash_invalid: [422, 'app hash is invalid'],
  code_blank: [422, "code can't be blank"],
  code_invalid: [422, 'code is invalid'],
  already_verified: [422, 'verification is already verified; provided value is invalid'],
  not_ready_to_report: [422, 'verification is not ready to be reported'],
  destination_not_supported_for_channel: [422, 'destination not supported for provided delivery method'],
  validation_failed: [422, 'request is invalid'],
  destination_in_cooldown: [429, 'verification for this destination was requested too recently'],
  // Fields that an operator may switch on (contract section 9).
  autofill_invalid: [422, 'autofill is invalid'],
  custom_too_long: [422, 'custom is too long'],
  // The operator's guards (contract section 9).
  rate_limit_per_ip: [429, 'too many requests from this address'],
  rate_limit_per_account: [429, 'too many requests of this account'],
  rate_limit_public_per_account: [429, 'too many public requests of this account'],
  rate_limit_failed_auth: [429, 'too many failed authentications from this address'],
  volume_limit_reached: [429, 'volume limit reached'],
  // Refused before a route is known.
  malformed_request: [400, 'request is malformed'],
  request_timeout: [408, 'request did not arrive in time'],
  uri_too_long: [414, 'request url is too long'],
  expectation_failed: [417, 'expectation cannot be met'],
  headers_too_large: [431, 'request headers are too large'],
  service_unavailable: [503, 'service is busy, try again in a moment'],
  internal_error: [500, 'internal server error'],
} as const satisfies Record<string, readonly [status: number, detail: string]>;

export type ErrorCode = keyof typeof errorTexts;

/** Why a verification ended, with the status that each code implies. */
export const outcomeTexts = {
  dispatch_failed: ['failed', 'failed to deliver'],
  stale_dispatch: ['failed', 'number unreachable'],
  too_many_attempts: ['failed', 'too many attempts'],
  superseded: ['failed', 'superseded'],
  application_deleted: ['failed', 'application deleted'],
  expired: ['expired', 'expired'],
  denied_missing_callback_url: ['denied', 'application has no callback_url'],
  denied_by_callback: ['denied', 'your callback denied the request'],
  denied_invalid_callback_response: ['denied', 'callback response was invalid'],
} as const satisfies Record<string, readonly [status: 'failed' | 'expired' | 'denied', detail: string]>;

export type OutcomeCode = keyof typeof outcomeTexts;
export type DenialCode = Extract<OutcomeCode, `denied_${string}`>;

/** Makes the response an error envelope. All codes of one response have the same status. */
export class VerificationError extends Error {
  readonly codes: readonly [ErrorCode, ...ErrorCode[]];
  readonly retryAfterSeconds: number | undefined;

  constructor(codes: ErrorCode | readonly [ErrorCode, ...ErrorCode[]], retryAfterSeconds?: number) {
    const list = typeof codes === 'string' ? ([codes] as const) : codes;
    super(list.join(', '));
    this.codes = list;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return errorTexts[this.codes[0]][0];
  }
}

interface ErrorEnvelope {
  errors: { code: ErrorCode; detail: string }[];
}

export function errorEnvelope(codes: readonly ErrorCode[]): ErrorEnvelope {
  return { errors: codes.map((code) => ({ code, detail: errorTexts[code][1] })) };
}
