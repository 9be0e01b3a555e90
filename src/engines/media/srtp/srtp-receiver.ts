/** Opens the SRTP and SRTCP of one direction (RFC 3711). What it refuses is counted and has no other effect. */
import type { MasterKey } from './profiles.ts';
import { rtpHeaderBytes } from './rtp-header.ts';
import { type SeenPackets, Sources } from './seen-packets.ts';
import {
  encryptedFlag,
  mostPacketBytes,
  rtcpHeaderBytes,
  rtcpIndexBytes,
  ssrcInRtcp,
  ssrcInRtp,
  type Transform,
} from './transform.ts';
import { transformOf } from './transform-of.ts';

/** Why a packet was dropped. */
type Refusal = 'authentication' | 'replay' | 'malformed';

export class SrtpReceiver {
  readonly #transform: Transform;
  readonly #refused: (why: Refusal) => void;
  readonly #rtp = new Sources();
  readonly #rtcp = new Sources();

  constructor(master: MasterKey, refused: (why: Refusal) => void) {
    this.#transform = transformOf(master);
    this.#refused = refused;
  }

  /** The RTP packet, in the same bytes; null if it is refused. */
  openRtp(packet: Buffer): Buffer | null {
    const headerBytes = rtpHeaderBytes(packet, this.#transform.rtpTagBytes);
    if (headerBytes === null || packet.length > mostPacketBytes) return this.#refuse('malformed');
    const ssrc = packet.readUInt32BE(ssrcInRtp);
    const seen = this.#rtp.find(ssrc);
    if (seen === null) return this.#refuse('authentication');
    const index = seen.indexOf(packet.readUInt16BE(2));
    if (!seen.isNew(index)) return this.#refuse('replay');
    for (const possible of possibleIndexes(seen, index)) {
      const opened = this.#transform.openRtp(packet, headerBytes, possible);
      if (opened === null) continue;
      seen.add(possible);
      this.#rtp.keep(ssrc, seen);
      return opened;
    }
    return this.#refuse('authentication');
  }

  /** The RTCP packet, in the same bytes; null if it is refused. */
  openRtcp(packet: Buffer): Buffer | null {
    const { rtcpTagBytes, rtcpIndexAtEnd } = this.#transform;
    const end = packet.length - rtcpTagBytes - rtcpIndexBytes;
    if (end < rtcpHeaderBytes || packet.length > mostPacketBytes) return this.#refuse('malformed');
    const word = packet.readUInt32BE(rtcpIndexAtEnd ? packet.length - rtcpIndexBytes : end);
    if (word < encryptedFlag) return this.#refuse('malformed');
    const index = word - encryptedFlag;
    const ssrc = packet.readUInt32BE(ssrcInRtcp);
    const seen = this.#rtcp.find(ssrc);
    if (seen === null) return this.#refuse('authentication');
    if (!seen.isNew(index)) return this.#refuse('replay');
    const opened = this.#transform.openRtcp(packet, index);
    if (opened === null) return this.#refuse('authentication');
    seen.add(index);
    this.#rtcp.keep(ssrc, seen);
    return opened;
  }

  #refuse(why: Refusal): null {
    this.#refused(why);
    return null;
  }
}

/**
 * A sender counts from its first packet. When those before the first overflow of its sequence numbers were lost, or
 * came before we had its key, its counter is one ahead of what the first packet that we see tells.
 */
function possibleIndexes(seen: SeenPackets, index: number): number[] {
  return seen.isEmpty ? [index, index + 0x1_0000] : [index];
}
