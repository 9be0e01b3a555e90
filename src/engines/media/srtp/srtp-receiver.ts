/** Opens the SRTP and SRTCP of one direction (RFC 3711). What it refuses is told and has no other effect. */
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
type Refused = (why: Refusal) => void;

export class SrtpReceiver {
  readonly #transform: Transform;
  readonly #rtp = new Sources();
  readonly #rtcp = new Sources();

  constructor(master: MasterKey) {
    this.#transform = transformOf(master);
  }

  /** The RTP packet, in the same bytes; null if it is refused. */
  openRtp(packet: Buffer, refused: Refused): Buffer | null {
    const headerBytes = rtpHeaderBytes(packet, this.#transform.rtpTagBytes);
    if (headerBytes === null || packet.length > mostPacketBytes) return refuse(refused, 'malformed');
    const ssrc = packet.readUInt32BE(ssrcInRtp);
    const seen = this.#rtp.find(ssrc);
    if (seen === null) return refuse(refused, 'authentication');
    const index = seen.indexOf(packet.readUInt16BE(2));
    if (!seen.isNew(index)) return refuse(refused, 'replay');
    for (const possible of possibleIndexes(seen, index)) {
      const opened = this.#transform.openRtp(packet, headerBytes, possible);
      if (opened === null) continue;
      seen.add(possible);
      this.#rtp.keep(ssrc, seen);
      return opened;
    }
    return refuse(refused, 'authentication');
  }

  /** The RTCP packet, in the same bytes; null if it is refused. */
  openRtcp(packet: Buffer, refused: Refused): Buffer | null {
    const { rtcpTagBytes, rtcpIndexAtEnd } = this.#transform;
    const end = packet.length - rtcpTagBytes - rtcpIndexBytes;
    if (end < rtcpHeaderBytes || packet.length > mostPacketBytes) return refuse(refused, 'malformed');
    const word = packet.readUInt32BE(rtcpIndexAtEnd ? packet.length - rtcpIndexBytes : end);
    if (word < encryptedFlag) return refuse(refused, 'malformed');
    const index = word - encryptedFlag;
    const ssrc = packet.readUInt32BE(ssrcInRtcp);
    const seen = this.#rtcp.find(ssrc);
    if (seen === null) return refuse(refused, 'authentication');
    if (!seen.isNew(index)) return refuse(refused, 'replay');
    const opened = this.#transform.openRtcp(packet, index);
    if (opened === null) return refuse(refused, 'authentication');
    seen.add(index);
    this.#rtcp.keep(ssrc, seen);
    return opened;
  }
}

function refuse(refused: Refused, why: Refusal): null {
  refused(why);
  return null;
}

/**
 * A sender counts from its first packet. When those before the first overflow of its sequence numbers were lost, or
 * came before we had its key, its counter is one ahead of what the first packet that we see tells.
 */
function possibleIndexes(seen: SeenPackets, index: number): number[] {
  return seen.isEmpty ? [index, index + 0x1_0000] : [index];
}
