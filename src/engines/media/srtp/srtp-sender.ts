/** Protects the RTP and RTCP of one direction (RFC 3711). */
import type { MasterKey } from './profiles.ts';
import { rtpHeaderBytes } from './rtp-header.ts';
import { Sources } from './seen-packets.ts';
import { mostPacketBytes, rtcpHeaderBytes, ssrcInRtp, type Transform } from './transform.ts';
import { transformOf } from './transform-of.ts';

export class SrtpSender {
  readonly #transform: Transform;
  readonly #sources = new Sources();
  #rtcpIndex = 0;

  constructor(master: MasterKey) {
    this.#transform = transformOf(master);
  }

  /**
   * Null for what is no RTP packet, and for a packet that has been sent: a second one under the same number would have
   * the same key stream, and both could be read.
   */
  protectRtp(packet: Buffer): Buffer | null {
    const headerBytes = rtpHeaderBytes(packet);
    if (headerBytes === null || packet.length > longestPlain) return null;
    const ssrc = packet.readUInt32BE(ssrcInRtp);
    const sent = this.#sources.find(ssrc);
    if (sent === null) return null;
    const index = sent.indexOf(packet.readUInt16BE(2));
    if (!sent.isNew(index)) return null;
    sent.add(index);
    this.#sources.keep(ssrc, sent);
    return this.#transform.protectRtp(packet, headerBytes, index);
  }

  /** Null for what is no RTCP packet. */
  protectRtcp(packet: Buffer): Buffer | null {
    if (packet.length < rtcpHeaderBytes || packet.length > longestPlain) return null;
    this.#rtcpIndex += 1;
    return this.#transform.protectRtcp(packet, this.#rtcpIndex);
  }
}

/** Leaves room for the longest tag and an index. */
const longestPlain = mostPacketBytes - 20;
