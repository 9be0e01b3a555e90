/**
 * Passkeys: registering one for the own login, and signing in with one instead of a password and a code. The
 * authenticator verifies its person (PIN, finger, face), so a passkey is both factors.
 */
import type { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import type { FastifyRequest } from 'fastify';
import type { Person } from '../../business/accounts/people.ts';
import { originOf } from '../../business/accounts/same-origin.ts';
import type { Environment } from '../../engines/environment.ts';
import { beginChallenge, takeChallenge } from './login-challenges.ts';
import { personOfLogin } from './logins.ts';

type RegistrationResponse = Parameters<typeof verifyRegistrationResponse>[0]['response'];
type AuthenticationResponse = Parameters<typeof verifyAuthenticationResponse>[0]['response'];

/** Loaded at first use: with its certificates it is a sixth of what a start would load. */
const webauthn = () => import('@simplewebauthn/server');

/** Passkeys belong to a host name; browsers refuse them for addresses such as 127.0.0.1. */
function partyOf(env: Environment, request: FastifyRequest) {
  const origin = originOf(env, request);
  return { expectedOrigin: origin, expectedRPID: new URL(origin).hostname };
}

export async function registrationOptions(env: Environment, request: FastifyRequest, loginId: string, login: string) {
  const known = await env.db.selectFrom('passkeys').select('credential_id').where('login_id', '=', loginId).execute();
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: 'Trunkline',
    rpID: partyOf(env, request).expectedRPID,
    userName: login,
    userID: new Uint8Array(Buffer.from(loginId)),
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const { challenge } = options;
  return { token: await beginChallenge(env, { purpose: 'passkey_registration', loginId, challenge }), options };
}

/** Returns false if the authenticator's response is not right. */
export async function addPasskey(
  env: Environment,
  request: FastifyRequest,
  loginId: string,
  { token, name, response }: { token: string; name: string; response: object },
): Promise<boolean> {
  const begun = await takeChallenge(env, 'passkey_registration', token);
  if (begun?.challenge == null || begun.login_id !== loginId) return false;
  const { verifyRegistrationResponse } = await webauthn();
  const result = await verifyRegistrationResponse({
    response: response as RegistrationResponse,
    expectedChallenge: begun.challenge,
    ...partyOf(env, request),
  }).catch(() => null);
  if (!result?.verified) return false;
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
  await env.db
    .insertInto('passkeys')
    .values({
      login_id: loginId,
      name,
      credential_id: Buffer.from(id, 'base64url'),
      public_key: Buffer.from(publicKey),
      uses: counter,
      transports,
      created_at: env.clock.now(),
    })
    .execute();
  return true;
}

export async function signInOptions(env: Environment, request: FastifyRequest) {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: partyOf(env, request).expectedRPID,
    userVerification: 'required',
  });
  const { challenge } = options;
  return { token: await beginChallenge(env, { purpose: 'passkey_sign_in', challenge }), options };
}

/** Asks for a passkey of this login. */
export async function confirmationOptions(env: Environment, request: FastifyRequest, loginId: string) {
  const known = await env.db.selectFrom('passkeys').select('credential_id').where('login_id', '=', loginId).execute();
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: partyOf(env, request).expectedRPID,
    userVerification: 'required',
    allowCredentials: known.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
  });
  const { challenge } = options;
  return { token: await beginChallenge(env, { purpose: 'passkey_confirmation', loginId, challenge }), options };
}

/**
 * The person whose passkey has signed; null if it did not, or if it is a copy. `loginId` is whose it must be, if that
 * is known.
 */
export async function personWithPasskey(
  env: Environment,
  request: FastifyRequest,
  { token, response }: { token: string; response: object },
  loginId: string | null = null,
): Promise<Person | null> {
  const begun = await takeChallenge(env, loginId === null ? 'passkey_sign_in' : 'passkey_confirmation', token);
  if (begun === null || begun.login_id !== loginId) return null;
  const id = 'id' in response && typeof response.id === 'string' ? response.id : '';
  const passkey = await env.db
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', Buffer.from(id, 'base64url'))
    .executeTakeFirst();
  if (begun.challenge === null || passkey === undefined) return null;
  if (loginId !== null && passkey.login_id !== loginId) return null;
  const { verifyAuthenticationResponse } = await webauthn();
  const result = await verifyAuthenticationResponse({
    response: response as AuthenticationResponse,
    expectedChallenge: begun.challenge,
    ...partyOf(env, request),
    credential: { id, publicKey: new Uint8Array(passkey.public_key), counter: Number(passkey.uses) },
  }).catch(() => null);
  if (!result?.verified) return null;
  await env.db
    .updateTable('passkeys')
    .set({ uses: result.authenticationInfo.newCounter, last_used_at: env.clock.now() })
    .where('id', '=', passkey.id)
    .execute();
  return personOfLogin(env, passkey.login_id);
}
