/** An OTP application: who a request is made for, and the settings its verifications take with them. */
import { type KeyObject, randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { seal, unseal } from '../../accounts/sealing.ts';
import { Secret } from '../../accounts/secret.ts';
import type { OtpApplicationsTable } from '../../db/tables/verification.ts';
import type { Mode } from '../authorization.ts';
import { signingKey } from '../signing.ts';

export interface OtpApplication {
  readonly id: string;
  readonly accountId: string;
  readonly key: string;
  readonly secret: Secret;
  /** What the secret signs with. */
  readonly signingKey: KeyObject;
  readonly name: string;
  readonly description: string | null;
  readonly minimumMode: Mode;
  readonly callbackUrl: string | null;
  readonly codeTimeout: number;
  readonly codeLength: number;
  /** Sender ids by ISO country, and under `default`. */
  readonly senders: Readonly<Record<string, string>>;
  readonly dailyLimit: number | null;
  readonly createdAt: Date;
}

const PURPOSE = 'otp application secret';

/** 32 random bytes in the form clients decode: unpadded base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function sealSecret(serverKey: Buffer, secret: string): string {
  return seal(serverKey, PURPOSE, secret);
}

export function applicationOf(row: Selectable<OtpApplicationsTable>, serverKey: Buffer): OtpApplication {
  const secret = unseal(serverKey, PURPOSE, row.sealed_secret);
  return {
    id: row.id,
    accountId: row.account_id,
    key: row.key,
    secret: new Secret(secret),
    signingKey: signingKey(secret),
    name: row.name,
    description: row.description,
    minimumMode: row.minimum_mode,
    callbackUrl: row.callback_url,
    codeTimeout: row.code_timeout,
    codeLength: row.code_length,
    senders: row.senders,
    dailyLimit: row.daily_limit,
    createdAt: row.created_at,
  };
}
