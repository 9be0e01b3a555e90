/**
 * Encrypts a file in the browser, so that the server stores what only its reviewers can read: `RSA_A(S) ‖ RSA_B(S) ‖
 * AES(file)`, where S is a key made for this file alone. The two public keys are the server's.
 */

import { get } from './request.ts';
import { pathWith } from './routes.ts';
import type { Send } from './writer.ts';

/** Uploads a file and returns its id. */
export async function uploadEncrypted(send: Send, file: File, description: string): Promise<string> {
  const keys = await get(pathWith('/v3/public_keys'));
  const pems = keys.data.map(({ attributes }) => attributes.key);
  const content = await encrypt(new Uint8Array(await file.arrayBuffer()), pems);
  const form = new FormData();
  form.append('encrypted_files[encryption_fingerprint]', (await Promise.all(pems.map(fingerprintOf))).join(':::'));
  form.append('encrypted_files[description]', description);
  form.append('encrypted_files[file]', new Blob([content], { type: 'application/octet-stream' }), `${file.name}.enc`);
  const stored = await send('POST', pathWith('/v3/encrypted_files'), form);
  return stored.data.id;
}

async function encrypt(content: Uint8Array<ArrayBuffer>, pems: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const secret = crypto.getRandomValues(new Uint8Array(48));
  const [key, iv] = [secret.slice(0, 32), secret.slice(32)];
  const aes = await crypto.subtle.importKey('raw', key, 'AES-CBC', false, ['encrypt']);
  const wrapped = await Promise.all(
    pems.map(async (pem) => {
      const rsa = { name: 'RSA-OAEP', hash: 'SHA-256' };
      const publicKey = await crypto.subtle.importKey('spki', derOf(pem), rsa, false, ['encrypt']);
      return new Uint8Array(await crypto.subtle.encrypt(rsa, publicKey, secret));
    }),
  );
  const body = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, aes, content));
  return joined([...wrapped, body]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** SHA-1 of the key without its armour, in hex. */
async function fingerprintOf(pem: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', derOf(pem)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const derOf = (pem: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(pem.replace(/-----[^-]+-----|\s/g, '')), (character) => character.charCodeAt(0));
