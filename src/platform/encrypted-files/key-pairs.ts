/** The environment's two RSA key pairs: made on first need, sealed with the server key, replaced by rotation. */
import { createHash, createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Kysely } from 'kysely';
import { seal, unseal } from '../../accounts/sealing.ts';
import { nameBasedId } from '../../catalogue/name-based-id.ts';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';

export interface PublicKey {
  id: string;
  slot: 'A' | 'B';
  public_key: string;
  fingerprint: string;
}

const SLOTS = ['A', 'B'] as const;
const MODULUS_BITS = 4096;
const PURPOSE = 'file encryption private key';
const generate = promisify(generateKeyPair);

/** Those in use, A first. Several processes may make them at the same moment: the first of each slot stays. */
export async function currentKeys(env: Environment, bits = MODULUS_BITS): Promise<PublicKey[]> {
  const found = await inUse(env.db);
  if (found.length === SLOTS.length) return found;
  await (making.get(env) ?? startMaking(env, bits));
  return inUse(env.db);
}

/** `fpA:::fpB`, what an upload has to name. */
export async function currentFingerprint(env: Environment): Promise<string> {
  return (await currentKeys(env)).map(({ fingerprint }) => fingerprint).join(':::');
}

/** New pairs take over; files for the old ones still open, but nothing more is accepted for those. */
export async function rotateKeys(env: Environment, bits = MODULUS_BITS): Promise<PublicKey[]> {
  const pairs = await Promise.all(SLOTS.map((slot) => makePair(env, slot, bits)));
  await env.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('encryption_keys')
      .set({ retired_at: env.clock.now() })
      .where('retired_at', 'is', null)
      .execute();
    await trx.insertInto('encryption_keys').values(pairs).execute();
  });
  return inUse(env.db);
}

/** The two private keys of a file, A first; either of them opens it. */
export interface PrivateKeys {
  keys: readonly [KeyObject, KeyObject];
  modulusBytes: readonly [number, number];
}

/** The keys for a file that was encrypted for `fpA:::fpB`, in use or retired. */
export async function privateKeysFor(env: Environment, fingerprints: string): Promise<PrivateKeys | null> {
  const [a = '', b = ''] = fingerprints.split(':::');
  const rows = await env.db
    .selectFrom('encryption_keys')
    .select(['fingerprint', 'sealed_private_key', 'modulus_bytes'])
    .where('fingerprint', 'in', [a, b])
    .execute();
  const [first, second] = [a, b].map((fingerprint) => rows.find((row) => row.fingerprint === fingerprint));
  if (!first || !second) return null;
  const open = (row: typeof first) => createPrivateKey(unseal(env.serverKey, PURPOSE, row.sealed_private_key));
  return { keys: [open(first), open(second)], modulusBytes: [first.modulus_bytes, second.modulus_bytes] };
}

/** SHA-1 of the key's SPKI DER, in lower-case hex. */
export function fingerprintOf(pem: string): string {
  const body = pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s/g, '');
  return createHash('sha1').update(Buffer.from(body, 'base64')).digest('hex');
}

const making = new WeakMap<Environment, Promise<void>>();

function startMaking(env: Environment, bits: number): Promise<void> {
  const made = makeMissing(env, bits).finally(() => making.delete(env));
  making.set(env, made);
  return made;
}

async function makeMissing(env: Environment, bits: number): Promise<void> {
  const there = new Set((await inUse(env.db)).map(({ slot }) => slot));
  const pairs = await Promise.all(SLOTS.filter((slot) => !there.has(slot)).map((slot) => makePair(env, slot, bits)));
  if (pairs.length === 0) return;
  await env.db
    .insertInto('encryption_keys')
    .values(pairs)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function makePair(env: Environment, slot: 'A' | 'B', bits: number) {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: bits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const fingerprint = fingerprintOf(publicKey);
  return {
    id: nameBasedId('public_keys', fingerprint),
    slot,
    public_key: publicKey,
    sealed_private_key: seal(env.serverKey, PURPOSE, privateKey),
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
