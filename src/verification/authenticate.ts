/** From a request to the application it is made for. Every cause of failure gives the same 401. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Environment } from '../environment.ts';
import type { OtpApplication } from './applications/application.ts';
import type { ApplicationDirectory } from './applications/directory.ts';
import { type Mode, parseAuthorization, reachesMinimum, timestampIsFresh } from './authorization.ts';
import { VerificationError } from './errors.ts';
import { sign } from './signing.ts';

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

export interface Authenticator {
  env: Environment;
  find: ApplicationDirectory;
  /** The machine's clock: a signed timestamp is compared with it, since the client's clock is one too. */
  machineNow(): Date;
  refuseReplays: boolean;
}

export async function authenticate(input: AuthenticationInput, by: Authenticator): Promise<Authenticated> {
  const claim = parseAuthorization(input.authorization);
  const application = claim === null ? null : await by.find(claim.key);
  if (claim === null || application === null) throw unauthorized();
  if (!reachesMinimum(claim.mode, application.minimumMode)) throw unauthorized();
  if (claim.mode === 'basic' && !sameText(claim.secret, application.secret.reveal())) throw unauthorized();
  if (claim.mode === 'application') {
    const { timestamp } = input;
    if (!timestampIsFresh(timestamp, by.machineNow().getTime())) throw unauthorized();
    const expected = sign(application.secret.reveal(), { ...input, timestamp, path: input.signedPath });
    if (!sameText(claim.signature, expected)) throw unauthorized();
    if (by.refuseReplays && !(await isFirstUse(by.env, expected))) throw unauthorized();
  }
  return { application, mode: claim.mode };
}

/** As text, never as decoded bytes: a second spelling of the same base64 is not the same signature. */
function sameText(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/** Equal length whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
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
