/** Signatures of a handshake: how ours is made, and whether a peer's was made with the key of its certificate. */
import { type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { DtlsFailure } from './alert.ts';

/** Hash and kind of key by the numbers of TLS 1.2; in the order in which they are asked for. */
const algorithms: ReadonlyMap<number, { hash: string; keyType: 'ec' | 'rsa' }> = new Map([
  [0x0403, { hash: 'sha256', keyType: 'ec' }],
  [0x0503, { hash: 'sha384', keyType: 'ec' }],
  [0x0603, { hash: 'sha512', keyType: 'ec' }],
  [0x0401, { hash: 'sha256', keyType: 'rsa' }],
  [0x0501, { hash: 'sha384', keyType: 'rsa' }],
  [0x0601, { hash: 'sha512', keyType: 'rsa' }],
]);

export const signatureAlgorithms: readonly number[] = [...algorithms.keys()];
export const ecdsaWithSha256 = 0x0403;

export const signEcdsa = (data: Buffer, privateKey: KeyObject): Buffer => sign('sha256', data, privateKey);

export function publicKeyOf(certificate: Buffer): KeyObject {
  try {
    return new X509Certificate(certificate).publicKey;
  } catch {
    throw new DtlsFailure('badCertificate', 'The certificate of the peer cannot be read');
  }
}

/** Throws if it was made with another key, or in a way that was not asked for. */
export function checkSignature(key: KeyObject, algorithm: number, data: Buffer, signature: Buffer): void {
  const known = algorithms.get(algorithm);
  if (known === undefined || known.keyType !== key.asymmetricKeyType) {
    throw new DtlsFailure('illegalParameter', 'The peer signs in a way that was not offered');
  }
  if (!isSignedBy(known.hash, data, key, signature)) {
    throw new DtlsFailure('decryptError', 'The peer does not have the key of its certificate');
  }
}

function isSignedBy(hash: string, data: Buffer, key: KeyObject, signature: Buffer): boolean {
  try {
    return verify(hash, data, key, signature);
  } catch {
    // A key too short for the hash, or another that OpenSSL does not take.
    return false;
  }
}
