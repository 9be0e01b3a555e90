/** RTP packets (RFC 3550) of G.711 audio, 20 ms each. */
import { randomBytes } from 'node:crypto';
import { sampleRate } from './g711.ts';

export const frameMs = 20;
export const frameSamples = (sampleRate * frameMs) / 1000;

/** Static payload types (RFC 3551). */
export const payloadTypes = { PCMU: 0, PCMA: 8 } as const;

export interface RtpStream {
  readonly payloadType: (typeof payloadTypes)[keyof typeof payloadTypes];
  /** Identifies the sender within the session. */
  readonly ssrc: number;
  readonly firstSequence: number;
  readonly firstTimestamp: number;
}

/** All numbers start at random, as RFC 3550 asks for. */
export function newRtpStream(codec: keyof typeof payloadTypes): RtpStream {
  const random = randomBytes(10);
  return {
    payloadType: payloadTypes[codec],
    ssrc: random.readUInt32BE(0),
    firstSequence: random.readUInt16BE(4),
    firstTimestamp: random.readUInt32BE(6),
  };
}

const headerBytes = 12;
/** Version 2; no padding, extension or contributing sources. */
const firstByte = 0x80;
const marker = 0x80;

/** `audio` is in the stream's codec and consists of whole frames. The first packet has the marker: speech begins there. */
export function rtpPackets(audio: Uint8Array, stream: RtpStream): Buffer[] {
  if (audio.length % frameSamples !== 0) throw new RangeError(`audio must consist of frames of ${frameSamples} bytes`);
  return Array.from({ length: audio.length / frameSamples }, (_, position) => {
    const packet = Buffer.alloc(headerBytes + frameSamples);
    packet.writeUInt8(firstByte, 0);
    packet.writeUInt8((position === 0 ? marker : 0) | stream.payloadType, 1);
    packet.writeUInt16BE((stream.firstSequence + position) & 0xffff, 2);
    packet.writeUInt32BE((stream.firstTimestamp + position * frameSamples) >>> 0, 4);
    packet.writeUInt32BE(stream.ssrc, 8);
    packet.set(audio.subarray(position * frameSamples, (position + 1) * frameSamples), headerBytes);
    return packet;
  });
}
