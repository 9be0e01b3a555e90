/**
 * What a person has begun and has to finish soon: the second step of a sign-in, or a passkey. In the database, for all
 * processes.
 */
import { randomBytes } from 'node:crypto';
import { hashKey } from '../../business/accounts/api-keys.ts';
import type { Environment } from '../../engines/environment.ts';

type ChallengePurpose = 'second_factor' | 'passkey_sign_in' | 'passkey_registration' | 'passkey_confirmation';

interface NewChallenge {
  purpose: ChallengePurpose;
  loginId?: string;
  challenge?: string;
}

const secondsLeft = 300;

/** Returns the token by which it is finished. */
export async function beginChallenge(env: Environment, { purpose, loginId, challenge }: NewChallenge): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const now = env.clock.now();
  await env.db.deleteFrom('login_challenges').where('expires_at', '<', now).execute();
  await env.db
    .insertInto('login_challenges')
    .values({
      token_hash: hashKey(token),
      login_id: loginId ?? null,
      purpose,
      challenge: challenge ?? null,
      expires_at: new Date(now.getTime() + secondsLeft * 1000),
    })
    .execute();
  return token;
}

export async function findChallenge(env: Environment, purpose: ChallengePurpose, token: string) {
  const row = await env.db
    .selectFrom('login_challenges')
    .select(['login_id', 'challenge'])
    .where('token_hash', '=', hashKey(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', env.clock.now())
    .executeTakeFirst();
  return row ?? null;
}

/** The one request that gets it back may finish what was begun. */
export async function takeChallenge(env: Environment, purpose: ChallengePurpose, token: string) {
  const row = await env.db
    .deleteFrom('login_challenges')
    .where('token_hash', '=', hashKey(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', env.clock.now())
    .returning(['login_id', 'challenge'])
    .executeTakeFirst();
  return row ?? null;
}
