/** ECDHE on P-256: the messages of both sides (RFC 8422). */
import { createECDH, type ECDH } from 'node:crypto';
import { DtlsFailure } from './alert.ts';
import { ByteReader } from './byte-reader.ts';
import { number, vector } from './byte-writer.ts';
import { groupP256, namedCurve } from './constants.ts';
import type { Randoms } from './secrets.ts';

interface KeyShare {
  readonly ecdh: ECDH;
  readonly publicKey: Buffer;
}

export function newKeyShare(): KeyShare {
  const ecdh = createECDH('prime256v1');
  return { ecdh, publicKey: ecdh.generateKeys() };
}

export function agree({ ecdh }: KeyShare, theirs: Buffer): Buffer {
  try {
    return ecdh.computeSecret(theirs);
  } catch {
    throw new DtlsFailure('illegalParameter', 'The key of the peer lies on another curve');
  }
}

/** What the server signs is this, after both randoms. */
const parameters = (publicKey: Buffer): Buffer =>
  Buffer.concat([number(namedCurve, 1), number(groupP256, 2), vector(1, publicKey)]);

export const signedParameters = ({ client, server }: Randoms, publicKey: Buffer): Buffer =>
  Buffer.concat([client, server, parameters(publicKey)]);

export function writeServerKeyExchange(publicKey: Buffer, algorithm: number, signature: Buffer): Buffer {
  return Buffer.concat([parameters(publicKey), number(algorithm, 2), vector(2, signature)]);
}

interface ServerKeyExchange {
  readonly publicKey: Buffer;
  readonly algorithm: number;
  readonly signature: Buffer;
}

export function readServerKeyExchange(body: Buffer): ServerKeyExchange {
  const reader = new ByteReader(body);
  if (reader.number(1) !== namedCurve || reader.number(2) !== groupP256) {
    throw new DtlsFailure('illegalParameter', 'The peer takes a curve that was not offered');
  }
  const found = { publicKey: reader.vector(1), algorithm: reader.number(2), signature: reader.vector(2) };
  reader.end();
  return found;
}

export const writeClientKeyExchange = (publicKey: Buffer): Buffer => vector(1, publicKey);

export function readClientKeyExchange(body: Buffer): Buffer {
  const reader = new ByteReader(body);
  const publicKey = reader.vector(1);
  reader.end();
  return publicKey;
}
