/** AES-128-GCM for records (RFC 5288), which only `Finished` and alerts need here. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { version12 } from './constants.ts';
import type { DtlsRecord } from './record.ts';

const algorithm = 'aes-128-gcm';
const explicitBytes = 8;
const tagBytes = 16;

/** Of one direction. */
export interface RecordKey {
  readonly key: Buffer;
  /** The part of the nonce that is not sent. */
  readonly salt: Buffer;
}

export function sealRecord({ key, salt }: RecordKey, record: DtlsRecord): DtlsRecord {
  const explicit = explicitNonce(record);
  const cipher = createCipheriv(algorithm, key, Buffer.concat([salt, explicit]));
  cipher.setAAD(authenticated(record, record.fragment.length));
  const sealed = [cipher.update(record.fragment), cipher.final(), cipher.getAuthTag()];
  return { ...record, fragment: Buffer.concat([explicit, ...sealed]) };
}

/** Null if it is not authentic. */
export function openRecord({ key, salt }: RecordKey, record: DtlsRecord): DtlsRecord | null {
  const { fragment } = record;
  const end = fragment.length - tagBytes;
  if (end < explicitBytes) return null;
  const nonce = Buffer.concat([salt, fragment.subarray(0, explicitBytes)]);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(authenticated(record, end - explicitBytes)).setAuthTag(fragment.subarray(end));
  const text = decipher.update(fragment.subarray(explicitBytes, end));
  try {
    decipher.final();
    return { ...record, fragment: text };
  } catch {
    // That the tag is wrong is told by an exception.
    return null;
  }
}

function explicitNonce({ epoch, sequence }: DtlsRecord): Buffer {
  const nonce = Buffer.alloc(explicitBytes);
  nonce.writeUInt16BE(epoch);
  nonce.writeUIntBE(sequence, 2, 6);
  return nonce;
}

function authenticated(record: DtlsRecord, length: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.set(explicitNonce(record));
  bytes.writeUInt8(record.type, 8);
  bytes.writeUInt16BE(version12, 9);
  bytes.writeUInt16BE(length, 11);
  return bytes;
}
