/** Messages about certificates (RFC 5246, 7.4.2, 7.4.4 and 7.4.8). */
import { DtlsFailure } from './alert.ts';
import { ByteReader } from './byte-reader.ts';
import { number, numbers, vector } from './byte-writer.ts';
import { signatureAlgorithms } from './signatures.ts';

export const writeCertificate = (certificate: Buffer): Buffer => vector(3, vector(3, certificate));

/** The peer's own; those that would stand behind it prove nothing here. */
export function readCertificate(body: Buffer): Buffer {
  const reader = new ByteReader(body);
  const list = new ByteReader(reader.vector(3));
  reader.end();
  if (list.isAtEnd) throw new DtlsFailure('handshakeFailure', 'The peer shows no certificate');
  return list.vector(3);
}

/** Kinds of keys: ECDSA and RSA. */
const certificateTypes = Buffer.of(64, 1);

/** Any authority will do. */
export const writeCertificateRequest = (): Buffer =>
  Buffer.concat([vector(1, certificateTypes), numbers(2, signatureAlgorithms), vector(2)]);

export const writeCertificateVerify = (algorithm: number, signature: Buffer): Buffer =>
  Buffer.concat([number(algorithm, 2), vector(2, signature)]);

export function readCertificateVerify(body: Buffer): { algorithm: number; signature: Buffer } {
  const reader = new ByteReader(body);
  const found = { algorithm: reader.number(2), signature: reader.vector(2) };
  reader.end();
  return found;
}
