/**
 * Acts that a session alone is not enough for, since what they make would outlive it: a stolen session must not become
 * a stolen account. The person proves again, by password or passkey, who they are. API keys are not asked.
 */
import type { Environment } from '../../engines/environment.ts';
import type { PanelSession } from './sessions.ts';

/** How long a proof is good for. */
export const confirmedSeconds = 300;

/**
 * Method and matched route → which proof counts. `again`: one given in this session after signing in. `recent`: signing
 * in counts too.
 */
export const confirmedActs: Readonly<Record<string, 'again' | 'recent'>> = {
  // The person's own login.
  'POST /panel/v1/login/email': 'again',
  'POST /panel/v1/login/password': 'again',
  'POST /panel/v1/login/passkeys/options': 'again',
  'POST /panel/v1/login/passkeys': 'again',
  'DELETE /panel/v1/login/passkeys/:id': 'again',
  'POST /panel/v1/login/recovery_codes': 'again',
  'POST /panel/v1/login/totp': 'again',
  'POST /panel/v1/login/totp/confirm': 'again',
  'POST /panel/v1/login/totp/remove': 'again',
  // Other ways into an account.
  'POST /panel/v1/api_keys': 'recent',
  'POST /panel/v1/members': 'recent',
  'PATCH /panel/v1/members/:id': 'recent',
  'POST /panel/v1/otp_applications': 'recent',
  // The password of a trunk places calls, wherever it is used.
  'POST /panel/v1/secret_reveals': 'recent',
  'PATCH /panel/v1/otp_applications/:id': 'recent',
  // These make keys.
  'POST /sandbox/v1/seed': 'recent',
  'POST /sandbox/v1/worlds': 'recent',
  // Ways into other logins, and into the operator's interface.
  'POST /panel/v1/login/links': 'recent',
  'PATCH /operator/v1/accounts/:id': 'recent',
  'POST /operator/v1/operators': 'recent',
  'PATCH /operator/v1/operators/:id': 'recent',
  'POST /operator/v1/operator_keys': 'recent',
};

/** The person has to prove who they are before this act. */
export class ConfirmationNeeded extends Error {
  override readonly name = 'ConfirmationNeeded';
  readonly statusCode = 403;

  constructor() {
    super('Confirm that it is you, with your password or a passkey, and send the request again.');
  }
}

/** Throws `ConfirmationNeeded`. `act` is a method and a matched route. */
export function requireConfirmed(
  env: Pick<Environment, 'clock'>,
  { signedInAt, confirmedAt }: PanelSession,
  act: string,
): void {
  // Both change a record.
  const needed = confirmedActs[act.replace(/^PUT /, 'PATCH ')];
  if (needed === undefined) return;
  const since = new Date(env.clock.now().getTime() - confirmedSeconds * 1000);
  if (confirmedAt !== null && confirmedAt > since) return;
  if (needed === 'recent' && signedInAt > since) return;
  throw new ConfirmationNeeded();
}
