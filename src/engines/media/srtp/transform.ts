/** What a cipher does to a packet, after its index is known. Lengths have been checked before. */

export interface Transform {
  readonly rtpTagBytes: number;
  /** RTCP gets an index besides. */
  readonly rtcpTagBytes: number;
  /** The index of RTCP is the last of the packet, rather than the tag. */
  readonly rtcpIndexAtEnd: boolean;
  protectRtp(packet: Buffer, headerBytes: number, index: number): Buffer;
  /** Opens it in place; null, with the packet as it was, if it is not authentic. */
  openRtp(packet: Buffer, headerBytes: number, index: number): Buffer | null;
  protectRtcp(packet: Buffer, index: number): Buffer;
  openRtcp(packet: Buffer, index: number): Buffer | null;
}

/** Longer packets are neither made nor read: no datagram of ours is. */
export const mostPacketBytes = 2048;

export const ssrcInRtp = 8;
export const ssrcInRtcp = 4;
/** Header and SSRC, which are never encrypted. */
export const rtcpHeaderBytes = 8;
export const rtcpIndexBytes = 4;
/** Set in the index of an RTCP packet that is encrypted: ours always are. */
export const encryptedFlag = 0x8000_0000;
