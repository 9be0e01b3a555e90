/**
 * The environment's two RSA key pairs: generated on first use, stored encrypted with the server key, replaced by
 * rotation.
 */

import { spawn } from 'node:child_process';
import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Kysely } from 'kysely';
import { seal, unseal } from '../../../business/accounts/secret.ts';
import { nameBasedId } from '../../../business/catalogue/ids.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import type { PlatformEnvironment } from '../context.ts';

interface PublicKey {
  id: string;
  slot: 'A' | 'B';
  public_key: string;
  fingerprint: string;
}

const slots = ['A', 'B'] as const;
const modulusBits = 4096;
export const privateKeyPurpose = 'file encryption private key';

/**
 * Returns the keys in use, A first. If several processes generate them at the same time, the first of each slot is
 * kept.
 */
export async function currentKeys(env: PlatformEnvironment, bits = modulusBits): Promise<PublicKey[]> {
  const found = await inUse(env.db);
  if (found.length === slots.length) return found;
  const { generatedKeys } = env;
  generatedKeys.made ??= generateMissing(env, bits).finally(() => {
    generatedKeys.made = undefined;
  });
  await generatedKeys.made;
  return inUse(env.db);
}

/** Returns `fpA:::fpB`, which every upload has to state. */
export async function currentFingerprint(env: PlatformEnvironment): Promise<string> {
  return (await currentKeys(env)).map(({ fingerprint }) => fingerprint).join(':::');
}

/**
 * Replaces both pairs. Files for the old keys can still be decrypted, but uploads for them are rejected from now on.
 */
export async function rotateKeys(env: Environment, bits = modulusBits): Promise<PublicKey[]> {
  const pairs = await Promise.all(slots.map((slot) => newPair(env, slot, bits)));
  await inTransaction(env.db, async (trx) => {
    await trx
      .updateTable('encryption_keys')
      .set({ retired_at: env.clock.now() })
      .where('retired_at', 'is', null)
      .execute();
    await trx.insertInto('encryption_keys').values(pairs).execute();
  });
  return inUse(env.db);
}

/**
 * Makes the keys of a new environment, so that no request has to wait for them. Takes seconds of a processor, once, in
 * processes of their own; what fails is made by the first request that needs it.
 */
export async function prepareKeys(env: PlatformEnvironment, bits: number): Promise<void> {
  await currentKeys(env, bits).catch((error: unknown) => {
    env.log.warn({ err: error }, 'file encryption keys could not be made');
  });
}

/** The two private keys of a file, A first; either of them decrypts it. */
export interface PrivateKeys {
  keys: readonly [KeyObject, KeyObject];
  modulusBytes: readonly [number, number];
}

/** Returns the keys with the fingerprints `fpA:::fpB`, in use or retired, or null if there are none. */
export async function privateKeysFor(env: Environment, fingerprints: string): Promise<PrivateKeys | null> {
  const [a = '', b = ''] = fingerprints.split(':::');
  const rows = await env.db
    .selectFrom('encryption_keys')
    .select(['fingerprint', 'sealed_private_key', 'modulus_bytes'])
    .where('fingerprint', 'in', [a, b])
    .execute();
  const [first, second] = [a, b].map((fingerprint) => rows.find((row) => row.fingerprint === fingerprint));
  if (!first || !second) return null;
  const open = (row: typeof first) =>
    createPrivateKey(unseal(env.serverKey, privateKeyPurpose, row.sealed_private_key));
  return { keys: [open(first), open(second)], modulusBytes: [first.modulus_bytes, second.modulus_bytes] };
}

/** Returns the SHA-1 of the key's SPKI DER in lower-case hex. */
export function fingerprintOf(pem: string): string {
  const body = pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s/g, '');
  return createHash('sha1').update(Buffer.from(body, 'base64')).digest('hex');
}

async function generateMissing(env: Environment, bits: number): Promise<void> {
  const existing = new Set((await inUse(env.db)).map(({ slot }) => slot));
  const pairs = await Promise.all(slots.filter((slot) => !existing.has(slot)).map((slot) => newPair(env, slot, bits)));
  if (pairs.length === 0) return;
  await env.db
    .insertInto('encryption_keys')
    .values(pairs)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function newPair(env: Environment, slot: 'A' | 'B', bits: number) {
  const { publicKey, privateKey } = await generateKeyPair(bits);
  const fingerprint = fingerprintOf(publicKey);
  return {
    id: nameBasedId('public_keys', fingerprint),
    slot,
    public_key: publicKey,
    sealed_private_key: seal(env.serverKey, privateKeyPurpose, privateKey),
    fingerprint,
    modulus_bytes: bits / 8,
    created_at: env.clock.now(),
    retired_at: null,
  };
}

function inUse(db: Kysely<Schema>): Promise<PublicKey[]> {
  return db
    .selectFrom('encryption_keys')
    .select(['id', 'slot', 'public_key', 'fingerprint'])
    .where('retired_at', 'is', null)
    .orderBy('slot')
    .execute();
}

interface KeyPair {
  /** SPKI, PEM. */
  publicKey: string;
  /** PKCS #8, PEM. */
  privateKey: string;
}

/** A TypeScript file in a clone, a JavaScript file in the package. */
const program = path.join(import.meta.dirname, `generate-key-pair.process${path.extname(import.meta.filename)}`);

export async function generateKeyPair(bits: number): Promise<KeyPair> {
  const child = spawn(process.execPath, [program, String(bits)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    const output = await Promise.race([text(child.stdout), failed]);
    if (output === '') throw new Error('no key pair was made');
    const { publicKey, privateKey }: KeyPair = JSON.parse(output);
    return { publicKey, privateKey };
  } finally {
    process.off('exit', kill);
  }
}
