/** AES in Galois counter mode (RFC 7714). Node needs a new cipher for each packet, so it costs more than the others. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { SessionKeys } from './session-keys.ts';
import { encryptedFlag, rtcpHeaderBytes, rtcpIndexBytes, ssrcInRtcp, ssrcInRtp, type Transform } from './transform.ts';

const tagBytes = 16;
const nonceBytes = 12;

export class GcmTransform implements Transform {
  readonly rtpTagBytes = tagBytes;
  readonly rtcpTagBytes = tagBytes;
  readonly rtcpIndexAtEnd = true;
  readonly #rtp: SessionKeys;
  readonly #rtcp: SessionKeys;
  readonly #algorithm: 'aes-128-gcm' | 'aes-256-gcm';

  constructor(rtp: SessionKeys, rtcp: SessionKeys) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.#algorithm = rtp.cipherKey.length === 32 ? 'aes-256-gcm' : 'aes-128-gcm';
  }

  protectRtp(packet: Buffer, headerBytes: number, index: number): Buffer {
    const header = packet.subarray(0, headerBytes);
    const nonce = nonceOf(this.#rtp, packet.readUInt32BE(ssrcInRtp), index);
    return Buffer.concat([header, ...this.#seal(this.#rtp, nonce, header, packet.subarray(headerBytes))]);
  }

  openRtp(packet: Buffer, headerBytes: number, index: number): Buffer | null {
    const end = packet.length - tagBytes;
    const nonce = nonceOf(this.#rtp, packet.readUInt32BE(ssrcInRtp), index);
    const header = packet.subarray(0, headerBytes);
    const text = this.#open(this.#rtp, nonce, header, packet.subarray(headerBytes, end), packet.subarray(end));
    if (text === null) return null;
    text.copy(packet, headerBytes);
    return packet.subarray(0, end);
  }

  protectRtcp(packet: Buffer, index: number): Buffer {
    const nonce = nonceOf(this.#rtcp, packet.readUInt32BE(ssrcInRtcp), index);
    const header = packet.subarray(0, rtcpHeaderBytes);
    const word = wordOf(index);
    const sealed = this.#seal(this.#rtcp, nonce, Buffer.concat([header, word]), packet.subarray(rtcpHeaderBytes));
    return Buffer.concat([header, ...sealed, word]);
  }

  openRtcp(packet: Buffer, index: number): Buffer | null {
    const tagAt = packet.length - rtcpIndexBytes - tagBytes;
    const nonce = nonceOf(this.#rtcp, packet.readUInt32BE(ssrcInRtcp), index);
    const authenticated = Buffer.concat([packet.subarray(0, rtcpHeaderBytes), wordOf(index)]);
    const sealed = packet.subarray(rtcpHeaderBytes, tagAt);
    const text = this.#open(this.#rtcp, nonce, authenticated, sealed, packet.subarray(tagAt, tagAt + tagBytes));
    if (text === null) return null;
    text.copy(packet, rtcpHeaderBytes);
    return packet.subarray(0, tagAt);
  }

  #seal(keys: SessionKeys, nonce: Buffer, authenticated: Buffer, text: Buffer): [Buffer, Buffer] {
    const cipher = createCipheriv(this.#algorithm, keys.cipherKey, nonce).setAAD(authenticated);
    const sealed = cipher.update(text);
    cipher.final();
    return [sealed, cipher.getAuthTag()];
  }

  #open(keys: SessionKeys, nonce: Buffer, authenticated: Buffer, sealed: Buffer, tag: Buffer): Buffer | null {
    const decipher = createDecipheriv(this.#algorithm, keys.cipherKey, nonce, { authTagLength: tagBytes });
    const text = decipher.setAAD(authenticated).setAuthTag(tag).update(sealed);
    try {
      decipher.final();
      return text;
    } catch {
      // That the tag is wrong is told by an exception.
      return null;
    }
  }
}

/** RTP's 48 bits of index, or RTCP's 31, end at the same place. */
function nonceOf({ salt }: SessionKeys, ssrc: number, index: number): Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  nonce.writeUInt32BE(ssrc, 2);
  nonce.writeUIntBE(index, 6, 6);
  for (let at = 0; at < nonceBytes; at += 1) nonce[at] = (nonce[at] ?? 0) ^ (salt[at] ?? 0);
  return nonce;
}

function wordOf(index: number): Buffer {
  const word = Buffer.alloc(rtcpIndexBytes);
  word.writeUInt32BE((encryptedFlag | index) >>> 0);
  return word;
}
