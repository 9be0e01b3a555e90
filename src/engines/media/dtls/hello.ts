/** ClientHello and ServerHello: their form, and the parts that matter here. */
import { DtlsFailure } from './alert.ts';
import { ByteReader } from './byte-reader.ts';
import { number, numbers, vector } from './byte-writer.ts';
import {
  cipherSuites,
  extensionTypes,
  groupP256,
  renegotiationSignal,
  uncompressedPoint,
  version12,
} from './constants.ts';
import { signatureAlgorithms } from './signatures.ts';

export const randomBytesOfHello = 32;

type Extensions = ReadonlyMap<number, Buffer>;

export interface ClientHello {
  readonly random: Buffer;
  readonly cookie: Buffer;
  readonly cipherSuites: readonly number[];
  readonly extensions: Extensions;
}

export interface ServerHello {
  readonly random: Buffer;
  readonly cipherSuite: number;
  readonly extensions: Extensions;
}

export function readClientHello(body: Buffer): ClientHello {
  const reader = new ByteReader(body);
  // Later versions of DTLS are named in an extension; its version numbers descend.
  if (reader.number(2) > version12) throw new DtlsFailure('protocolVersion', 'The peer speaks no DTLS 1.2');
  const random = reader.take(randomBytesOfHello);
  reader.vector(1);
  const cookie = reader.vector(1);
  const suites = reader.numbers(2);
  reader.vector(1);
  return { random, cookie, cipherSuites: suites, extensions: readExtensions(reader) };
}

export function readServerHello(body: Buffer): ServerHello {
  const reader = new ByteReader(body);
  if (reader.number(2) !== version12) throw new DtlsFailure('protocolVersion', 'The peer speaks no DTLS 1.2');
  const random = reader.take(randomBytesOfHello);
  reader.vector(1);
  const cipherSuite = reader.number(2);
  if (reader.number(1) !== 0) throw new DtlsFailure('illegalParameter', 'The peer compresses');
  return { random, cipherSuite, extensions: readExtensions(reader) };
}

function readExtensions(reader: ByteReader): Extensions {
  const found = new Map<number, Buffer>();
  if (reader.isAtEnd) return found;
  const list = new ByteReader(reader.vector(2));
  reader.end();
  while (!list.isAtEnd) {
    const type = list.number(2);
    const content = list.vector(2);
    if (found.has(type)) throw new DtlsFailure('illegalParameter', 'An extension comes twice');
    found.set(type, content);
  }
  return found;
}

const noCompression = Buffer.of(1, 0);

/** `profiles` are the numbers of the SRTP profiles, the preferred one first. */
export function writeClientHello(random: Buffer, cookie: Buffer, profiles: readonly number[]): Buffer {
  return Buffer.concat([
    number(version12, 2),
    random,
    vector(1),
    vector(1, cookie),
    numbers(2, [cipherSuites.ecdsa, cipherSuites.rsa, renegotiationSignal]),
    noCompression,
    vector(
      2,
      extension(extensionTypes.supportedGroups, numbers(2, [groupP256])),
      extension(extensionTypes.pointFormats, vector(1, Buffer.of(uncompressedPoint))),
      extension(extensionTypes.signatureAlgorithms, numbers(2, signatureAlgorithms)),
      extension(extensionTypes.useSrtp, numbers(2, profiles), vector(1)),
      extension(extensionTypes.extendedMasterSecret),
    ),
  ]);
}

/** Names no extension that the client has not named first. */
export function writeServerHello(random: Buffer, hello: ClientHello, profile: number): Buffer {
  const { extensions } = hello;
  const isRenegotiationSafe =
    extensions.has(extensionTypes.renegotiationInfo) || hello.cipherSuites.includes(renegotiationSignal);
  const said = [
    isRenegotiationSafe ? extension(extensionTypes.renegotiationInfo, vector(1)) : null,
    extensions.has(extensionTypes.pointFormats)
      ? extension(extensionTypes.pointFormats, vector(1, Buffer.of(uncompressedPoint)))
      : null,
    extensions.has(extensionTypes.extendedMasterSecret) ? extension(extensionTypes.extendedMasterSecret) : null,
    extension(extensionTypes.useSrtp, numbers(2, [profile]), vector(1)),
  ].filter((one) => one !== null);
  return Buffer.concat([
    number(version12, 2),
    random,
    vector(1),
    number(cipherSuites.ecdsa, 2),
    Buffer.of(0),
    vector(2, ...said),
  ]);
}

const extension = (type: number, ...content: readonly Buffer[]): Buffer =>
  Buffer.concat([number(type, 2), vector(2, ...content)]);

/** Numbers of the extension's profiles; empty if the peer wants no SRTP. */
export function srtpProfilesOf(extensions: Extensions): number[] {
  const content = extensions.get(extensionTypes.useSrtp);
  return content === undefined ? [] : new ByteReader(content).numbers(2);
}

/** Curves of the client; a client that names none takes any. */
export function takesP256(extensions: Extensions): boolean {
  const content = extensions.get(extensionTypes.supportedGroups);
  return content === undefined || new ByteReader(content).numbers(2).includes(groupP256);
}

export function takesSignature(extensions: Extensions, algorithm: number): boolean {
  const content = extensions.get(extensionTypes.signatureAlgorithms);
  return content !== undefined && new ByteReader(content).numbers(2).includes(algorithm);
}
