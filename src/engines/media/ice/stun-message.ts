/** STUN messages (RFC 8489): reading requests, which strangers send, and writing responses. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const messageTypes = { request: 0x0001, success: 0x0101, error: 0x0111 } as const;

export const attributes = {
  userName: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  unknownAttributes: 0x000a,
  xorMappedAddress: 0x0020,
  priority: 0x0024,
  useCandidate: 0x0025,
  fingerprint: 0x8028,
  iceControlled: 0x8029,
} as const;

const headerBytes = 20;
export const magicCookie = 0x2112a442;
const fingerprintMask = 0x5354554e;
const integrityBytes = 20;
const attributeHeaderBytes = 4;
/** A check of ICE has some ten. */
const mostAttributes = 32;

export interface StunRequest {
  readonly transaction: Buffer;
  /** Those that the integrity covers, by type; of several of one type the first. */
  readonly attributes: ReadonlyMap<number, Buffer>;
  /** Whether this password made its integrity. */
  isFrom(password: string): boolean;
}

/** Null for what is no request, is damaged, or lacks integrity or fingerprint. */
export function readStunRequest(packet: Buffer): StunRequest | null {
  if (packet.length < headerBytes || packet.readUInt16BE(0) !== messageTypes.request) return null;
  if (packet.readUInt16BE(2) !== packet.length - headerBytes || packet.readUInt32BE(4) !== magicCookie) return null;
  const found = new Map<number, Buffer>();
  let integrityAt: number | null = null;
  for (let at = headerBytes, count = 0; at < packet.length; count += 1) {
    if (count === mostAttributes || at + attributeHeaderBytes > packet.length) return null;
    const type = packet.readUInt16BE(at);
    const start = at + attributeHeaderBytes;
    const end = start + packet.readUInt16BE(at + 2);
    if (end > packet.length) return null;
    if (type === attributes.fingerprint) {
      if (integrityAt === null || !hasFingerprint(packet, at)) return null;
      return requestOf(packet, found, integrityAt);
    }
    if (type === attributes.messageIntegrity && integrityAt === null) {
      if (end - start !== integrityBytes) return null;
      integrityAt = at;
    }
    // What comes after the integrity could be added by anybody.
    if (integrityAt === null && !found.has(type)) found.set(type, packet.subarray(start, end));
    at = start + padded(end - start);
  }
  return null;
}

function requestOf(packet: Buffer, found: ReadonlyMap<number, Buffer>, integrityAt: number): StunRequest {
  return {
    transaction: packet.subarray(8, headerBytes),
    attributes: found,
    isFrom: (password) => {
      const tag = packet.subarray(
        integrityAt + attributeHeaderBytes,
        integrityAt + attributeHeaderBytes + integrityBytes,
      );
      return timingSafeEqual(integrityOf(packet.subarray(0, integrityAt), password), tag);
    },
  };
}

/** The last attribute, over all before it. */
const hasFingerprint = (packet: Buffer, at: number): boolean =>
  packet.length === at + 8 &&
  packet.readUInt16BE(at + 2) === 4 &&
  packet.readUInt32BE(at + attributeHeaderBytes) === fingerprintOf(packet.subarray(0, at));

const padded = (length: number): number => (length + 3) & ~3;

/** With a length in the header as if the attribute were the last one. */
function integrityOf(before: Buffer, password: string): Buffer {
  const header = Buffer.from(before.subarray(0, headerBytes));
  header.writeUInt16BE(before.length - headerBytes + attributeHeaderBytes + integrityBytes, 2);
  return createHmac('sha1', password).update(header).update(before.subarray(headerBytes)).digest();
}

const fingerprintOf = (before: Buffer): number => (crc32(before) ^ fingerprintMask) >>> 0;

export interface StunParts {
  readonly type: number;
  readonly transaction: Buffer;
  readonly attributes: readonly (readonly [type: number, value: Buffer])[];
}

/** With integrity and fingerprint. */
export function writeStun({ type, transaction, attributes: parts }: StunParts, password: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(type, 0);
  header.writeUInt32BE(magicCookie, 4);
  header.set(transaction, 8);
  const before = Buffer.concat([header, ...parts.map(([part, value]) => attribute(part, value))]);
  const integrity = attribute(attributes.messageIntegrity, integrityOf(before, password));
  const message = Buffer.concat([before, integrity, Buffer.alloc(8)]);
  message.writeUInt16BE(message.length - headerBytes, 2);
  const end = message.length - 8;
  message.writeUInt16BE(attributes.fingerprint, end);
  message.writeUInt16BE(4, end + 2);
  message.writeUInt32BE(fingerprintOf(message.subarray(0, end)), end + attributeHeaderBytes);
  return message;
}

function attribute(type: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(attributeHeaderBytes + padded(value.length));
  bytes.writeUInt16BE(type, 0);
  bytes.writeUInt16BE(value.length, 2);
  bytes.set(value, attributeHeaderBytes);
  return bytes;
}
