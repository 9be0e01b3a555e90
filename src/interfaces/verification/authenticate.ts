/**
 * Authenticates a request as one of an OTP application. Every failure gives the same 401 after the same work, so
 * neither the response nor its timing reveals whether a key exists.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { Secret } from '../../business/accounts/secret.ts';
import type { Environment } from '../../engines/environment.ts';
import { type ApplicationDirectory, newSecret, type OtpApplication } from './application.ts';
import {
  type Claim,
  type Mode,
  parseAuthorization,
  reachesMinimum,
  sign,
  signingKey,
  timestampIsFresh,
} from './authorization.ts';
import { VerificationError } from './errors.ts';

export interface AuthenticationInput {
  authorization: string | undefined;
  timestamp: string | undefined;
  method: string;
  contentType: string;
  /** What the client signs: the public prefix and the undecoded path. */
  signedPath: string;
  body: Buffer;
}

export interface Authenticated {
  application: OtpApplication;
  mode: Mode;
}

interface Authenticator {
  env: Environment;
  applications: ApplicationDirectory;
  /** The machine's clock, also in the sandbox: clients sign the real time. */
  machineNow(): Date;
  refuseReplays: boolean;
}

export async function authenticate(input: AuthenticationInput, by: Authenticator): Promise<Authenticated> {
  const claim = parseAuthorization(input.authorization);
  if (claim === null) throw unauthorized();
  const kept = by.applications.kept(claim.key);
  // What fails with the application in memory is checked again with the one in the database. So an unknown key and a
  // wrong proof take equally long, and a secret that was just changed works at once.
  const application = isProven(claim, input, kept, by) ? kept : await readAndProve(claim, input, by);
  if (application === null) throw unauthorized();
  if (claim.mode === 'application' && by.refuseReplays && !(await isFirstUse(by.env, claim.signature))) {
    throw unauthorized();
  }
  return { application, mode: claim.mode };
}

async function readAndProve(
  claim: Claim,
  input: AuthenticationInput,
  by: Authenticator,
): Promise<OtpApplication | null> {
  const read = await by.applications.read(claim.key);
  return isProven(claim, input, read, by) ? read : null;
}

/** Used if the application does not exist, so that the proof is computed in any case. */
const unknownSecret = newSecret();
const unknownApplication = { secret: new Secret(unknownSecret), signingKey: signingKey(unknownSecret) };

function isProven(
  claim: Claim,
  input: AuthenticationInput,
  application: OtpApplication | null,
  by: Authenticator,
): application is OtpApplication {
  const secretIsRight = provesSecret(claim, input, application ?? unknownApplication, by);
  return secretIsRight && application !== null && reachesMinimum(claim.mode, application.minimumMode);
}

function provesSecret(
  claim: Claim,
  input: AuthenticationInput,
  { secret, signingKey }: Pick<OtpApplication, 'secret' | 'signingKey'>,
  by: Authenticator,
): boolean {
  if (claim.mode === 'public') return true;
  if (claim.mode === 'basic') return sameText(claim.secret, secret.reveal());
  const { timestamp } = input;
  if (!timestampIsFresh(timestamp, by.machineNow().getTime())) return false;
  return sameSignature(claim.signature, sign(signingKey, { ...input, timestamp, path: input.signedPath }));
}

/**
 * Compares the text, not the decoded bytes: another spelling of the same base64 is not the same signature. All are
 * equally long.
 */
function sameSignature(given: string, expected: string): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === expected.length && timingSafeEqual(bytes, Buffer.from(expected));
}

function sameText(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/** Makes both sides equally long, as `timingSafeEqual` requires. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

async function isFirstUse(env: Environment, signature: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await env.db
    .insertInto('verification_used_signatures')
    .values({ signature_hash: digest(signature), seen_at: env.clock.now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

function unauthorized(): VerificationError {
  return new VerificationError('unauthorized');
}
