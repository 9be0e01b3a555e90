/** Encrypts files as client libraries do, and uploads them. */

import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto';
import { currentKeys } from '../../src/interfaces/platform/identities/key-pairs.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { checkedFetch } from './checked-fetch.ts';

/** The size of the keys says nothing to most tests; small ones are made in milliseconds. */
const smallKeyBits = 1024;

export interface Keys {
  pems: readonly [string, string];
  fingerprint: string;
}

export async function testKeys(env: WholeEnvironment, bits = smallKeyBits): Promise<Keys> {
  const [a, b] = await currentKeys(env, bits);
  if (!a || !b) throw new Error('there are two keys');
  return { pems: [a.public_key, b.public_key], fingerprint: `${a.fingerprint}:::${b.fingerprint}` };
}

/** `RSA_A(S) ‖ RSA_B(S) ‖ AES(K, IV, file)`. */
export function encryptFile(content: Buffer | string, { pems }: Pick<Keys, 'pems'>): Buffer {
  const key = randomBytes(32);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const wrap = (pem: string) =>
    publicEncrypt(
      { key: pem, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
      Buffer.concat([key, iv]),
    );
  return Buffer.concat([...pems.map(wrap), cipher.update(content), cipher.final()]);
}

export const pdf = '%PDF-1.4 a passport';

export function uploadForm(file: Buffer, fingerprint: string, description?: string): FormData {
  const form = new FormData();
  form.append('encrypted_files[encryption_fingerprint]', fingerprint);
  if (description !== undefined) form.append('encrypted_files[description]', description);
  form.append(
    'encrypted_files[file]',
    new Blob([new Uint8Array(file)], { type: 'application/octet-stream' }),
    'passport.pdf.enc',
  );
  return form;
}

export function upload(server: { url: string }, key: string, form: FormData): Promise<Response> {
  return checkedFetch(`${server.url}/v3/encrypted_files`, { method: 'POST', headers: { 'api-key': key }, body: form });
}

/** The id of a new encrypted file with a passable document in it. */
export async function uploadedFile(
  server: { url: string; env: WholeEnvironment },
  key: string,
  content: Buffer | string = pdf,
): Promise<string> {
  const keys = await testKeys(server.env);
  const response = await upload(server, key, uploadForm(encryptFile(content, keys), keys.fingerprint));
  if (response.status !== 201) throw new Error(`the upload was refused: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}
