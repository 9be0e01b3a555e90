/** AES in counter mode with HMAC-SHA1 (RFC 3711, RFC 6188). */
import { CounterKeystream } from './counter-keystream.ts';
import { PacketTag } from './packet-tag.ts';
import type { SessionKeys } from './session-keys.ts';
import { encryptedFlag, rtcpHeaderBytes, rtcpIndexBytes, ssrcInRtcp, ssrcInRtp, type Transform } from './transform.ts';

/** Also of the profile whose RTP has four. */
const rtcpTagBytes = 10;

export class CounterTransform implements Transform {
  readonly rtpTagBytes: number;
  readonly rtcpTagBytes = rtcpTagBytes;
  readonly rtcpIndexAtEnd = false;
  readonly #rtpStream: CounterKeystream;
  readonly #rtpTag: PacketTag;
  readonly #rtcpStream: CounterKeystream;
  readonly #rtcpTag: PacketTag;

  constructor(rtp: SessionKeys, rtcp: SessionKeys, rtpTagBytes: number) {
    this.rtpTagBytes = rtpTagBytes;
    this.#rtpStream = new CounterKeystream(rtp.cipherKey, rtp.salt);
    this.#rtpTag = new PacketTag(rtp.authenticationKey);
    this.#rtcpStream = new CounterKeystream(rtcp.cipherKey, rtcp.salt);
    this.#rtcpTag = new PacketTag(rtcp.authenticationKey);
  }

  protectRtp(packet: Buffer, headerBytes: number, index: number): Buffer {
    const end = packet.length;
    const bytes = Buffer.allocUnsafe(end + this.rtpTagBytes);
    packet.copy(bytes);
    this.#rtpStream.apply(bytes, headerBytes, end, packet.readUInt32BE(ssrcInRtp), index);
    this.#rtpTag.of(bytes, end, rolloverOf(index)).copy(bytes, end, 0, this.rtpTagBytes);
    return bytes;
  }

  openRtp(packet: Buffer, headerBytes: number, index: number): Buffer | null {
    const end = packet.length - this.rtpTagBytes;
    if (!this.#rtpTag.matches(packet, end, rolloverOf(index), packet.subarray(end))) return null;
    this.#rtpStream.apply(packet, headerBytes, end, packet.readUInt32BE(ssrcInRtp), index);
    return packet.subarray(0, end);
  }

  protectRtcp(packet: Buffer, index: number): Buffer {
    const end = packet.length;
    const bytes = Buffer.allocUnsafe(end + rtcpIndexBytes + rtcpTagBytes);
    packet.copy(bytes);
    this.#rtcpStream.apply(bytes, rtcpHeaderBytes, end, packet.readUInt32BE(ssrcInRtcp), index);
    const word = (encryptedFlag | index) >>> 0;
    bytes.writeUInt32BE(word, end);
    this.#rtcpTag.of(bytes, end, word).copy(bytes, end + rtcpIndexBytes, 0, rtcpTagBytes);
    return bytes;
  }

  openRtcp(packet: Buffer, index: number): Buffer | null {
    const tagAt = packet.length - rtcpTagBytes;
    const end = tagAt - rtcpIndexBytes;
    if (!this.#rtcpTag.matches(packet, end, (encryptedFlag | index) >>> 0, packet.subarray(tagAt))) return null;
    this.#rtcpStream.apply(packet, rtcpHeaderBytes, end, packet.readUInt32BE(ssrcInRtcp), index);
    return packet.subarray(0, end);
  }
}

const rolloverOf = (index: number): number => Math.floor(index / 0x1_0000);
