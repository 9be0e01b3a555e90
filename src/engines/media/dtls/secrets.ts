/** Secrets of a handshake (RFC 5246, 5 and 8; RFC 7627), and the keys that are exported for SRTP (RFC 5705, 5764). */
import { createHash, createHmac } from 'node:crypto';
import type { RecordKey } from './record-cipher.ts';

const masterBytes = 48;
const verifyBytes = 12;
const recordKeyBytes = 16;
const recordSaltBytes = 4;

/** What both sides have sent in their hellos. */
export interface Randoms {
  readonly client: Buffer;
  readonly server: Buffer;
}

function prf(secret: Buffer, label: string, seed: Buffer, length: number): Buffer {
  const hmac = (data: Buffer) => createHmac('sha256', secret).update(data).digest();
  const labelled = Buffer.concat([Buffer.from(label), seed]);
  const blocks: Buffer[] = [];
  for (let step = hmac(labelled), done = 0; done < length; step = hmac(step), done += 32) {
    blocks.push(hmac(Buffer.concat([step, labelled])));
  }
  return Buffer.concat(blocks).subarray(0, length);
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** `transcript` as far as the key exchange, where both sides have it in their secret; else null. */
export function masterSecret(agreed: Buffer, randoms: Randoms, transcript: Buffer | null): Buffer {
  return transcript === null
    ? prf(agreed, 'master secret', Buffer.concat([randoms.client, randoms.server]), masterBytes)
    : prf(agreed, 'extended master secret', sha256(transcript), masterBytes);
}

export function recordKeys(master: Buffer, { client, server }: Randoms): { client: RecordKey; server: RecordKey } {
  const block = prf(master, 'key expansion', Buffer.concat([server, client]), 2 * (recordKeyBytes + recordSaltBytes));
  const salts = block.subarray(2 * recordKeyBytes);
  return {
    client: { key: block.subarray(0, recordKeyBytes), salt: salts.subarray(0, recordSaltBytes) },
    server: { key: block.subarray(recordKeyBytes, 2 * recordKeyBytes), salt: salts.subarray(recordSaltBytes) },
  };
}

/** The body of `Finished`: proves that its sender has seen the same handshake. */
export function verifyData(master: Buffer, sender: 'client' | 'server', transcript: Buffer): Buffer {
  return prf(master, `${sender} finished`, sha256(transcript), verifyBytes);
}

export function exportForSrtp(master: Buffer, { client, server }: Randoms, length: number): Buffer {
  return prf(master, 'EXTRACTOR-dtls_srtp', Buffer.concat([client, server]), length);
}
