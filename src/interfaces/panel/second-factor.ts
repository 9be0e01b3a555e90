/**
 * One-time codes of an app, and recovery codes for who has lost it. Each code is taken once, by whichever process.
 * Steps are counted by the machine's clock: phones do not follow the sandbox's.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { machineClock } from '../../base/clock.ts';
import { hashKey } from '../../business/accounts/api-keys.ts';
import { seal, unseal } from '../../business/accounts/secret.ts';
import { matchingStep, newTotpSecret } from '../../business/accounts/totp.ts';
import type { Environment } from '../../engines/environment.ts';

export const totpSecretPurpose = 'totp_secret';
const recoveryCodes = 10;

/** A new secret that counts after its first code. Returns it in base32. */
export async function beginTotp(env: Environment, loginId: string): Promise<string> {
  const secret = newTotpSecret();
  await env.db
    .updateTable('panel_logins')
    .set({
      sealed_totp_secret: seal(env.serverKey, totpSecretPurpose, secret),
      totp_confirmed_at: null,
      totp_last_step: 0,
    })
    .where('id', '=', loginId)
    .where('totp_confirmed_at', 'is', null)
    .execute();
  return secret;
}

/** Returns recovery codes if the app's code is right, otherwise null. */
export async function confirmTotp(env: Environment, loginId: string, code: string): Promise<string[] | null> {
  if (!(await takeTotpCode(env, loginId, code))) return null;
  await env.db
    .updateTable('panel_logins')
    .set({ totp_confirmed_at: env.clock.now() })
    .where('id', '=', loginId)
    .execute();
  return renewRecoveryCodes(env, loginId);
}

export async function removeTotp(env: Environment, loginId: string): Promise<void> {
  await env.db
    .updateTable('panel_logins')
    .set({ sealed_totp_secret: null, totp_confirmed_at: null, totp_last_step: 0, recovery_code_hashes: [] })
    .where('id', '=', loginId)
    .execute();
}

/** Those from before stop working. */
export async function renewRecoveryCodes(env: Environment, loginId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode);
  await env.db
    .updateTable('panel_logins')
    .set({ recovery_code_hashes: codes.map(hashOf) })
    .where('id', '=', loginId)
    .execute();
  return codes;
}

/** Whether the code is one of the app's or a recovery code; either is used up. */
export async function takeCode(env: Environment, loginId: string, code: string): Promise<boolean> {
  return (await takeTotpCode(env, loginId, code)) || (await takeRecoveryCode(env, loginId, code));
}

async function takeTotpCode(env: Environment, loginId: string, code: string): Promise<boolean> {
  const login = await env.db
    .selectFrom('panel_logins')
    .select(['sealed_totp_secret', 'totp_last_step'])
    .where('id', '=', loginId)
    .executeTakeFirst();
  if (login?.sealed_totp_secret == null) return false;
  const secret = unseal(env.serverKey, totpSecretPurpose, login.sealed_totp_secret);
  const step = matchingStep(secret, code, machineClock.now(), Number(login.totp_last_step));
  if (step === null) return false;
  // Only one of several requests with the same code gets further.
  const taken = await env.db
    .updateTable('panel_logins')
    .set({ totp_last_step: step })
    .where('id', '=', loginId)
    .where('totp_last_step', '<', step)
    .executeTakeFirst();
  return taken.numUpdatedRows === 1n;
}

async function takeRecoveryCode(env: Environment, loginId: string, code: string): Promise<boolean> {
  const hash = hashOf(code);
  const { numAffectedRows } = await sql`
    update panel_logins set recovery_code_hashes = array_remove(recovery_code_hashes, ${hash}::bytea)
    where id = ${loginId} and ${hash}::bytea = any(recovery_code_hashes)`.execute(env.db);
  return numAffectedRows === 1n;
}

/** Two groups of five letters and digits, none of which look alike. */
function newRecoveryCode(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const text = [...randomBytes(10)].map((byte) => letters[byte % letters.length]).join('');
  return `${text.slice(0, 5)}-${text.slice(5)}`;
}

const hashOf = (code: string): Buffer => hashKey(code.toLowerCase().replace(/[^a-z0-9]/g, ''));
