/** RTP packets (RFC 3550) of G.711 audio, 20 ms each: builds and reads them. */
import { randomBytes } from 'node:crypto';
import { sampleRate } from './g711.ts';

export const frameMs = 20;
export const frameSamples = (sampleRate * frameMs) / 1000;

/** Static payload types (RFC 3551). */
export const payloadTypes = { PCMU: 0, PCMA: 8 } as const;

export type Codec = keyof typeof payloadTypes;

export interface RtpStream {
  readonly payloadType: (typeof payloadTypes)[Codec];
  /** Identifies the sender within the session. */
  readonly ssrc: number;
  readonly firstSequence: number;
  readonly firstTimestamp: number;
}

/** All numbers start at random, as RFC 3550 asks for. */
export function newRtpStream(codec: Codec): RtpStream {
  const random = randomBytes(10);
  return {
    payloadType: payloadTypes[codec],
    ssrc: random.readUInt32BE(0),
    firstSequence: random.readUInt16BE(4),
    firstTimestamp: random.readUInt32BE(6),
  };
}

export interface RtpPacket {
  readonly payloadType: number;
  /** Audio begins here after silence, or an event begins. */
  readonly marker: boolean;
  readonly sequence: number;
  /** In samples. */
  readonly timestamp: number;
  readonly ssrc: number;
  readonly payload: Uint8Array;
}

const headerBytes = 12;
/** Version 2; no padding, extension or contributing sources. */
const firstByte = 0x80;
const markerBit = 0x80;

function formatRtp(packet: RtpPacket): Buffer {
  const bytes = Buffer.alloc(headerBytes + packet.payload.length);
  bytes.writeUInt8(firstByte, 0);
  bytes.writeUInt8((packet.marker ? markerBit : 0) | packet.payloadType, 1);
  bytes.writeUInt16BE(packet.sequence & 0xffff, 2);
  bytes.writeUInt32BE(packet.timestamp >>> 0, 4);
  bytes.writeUInt32BE(packet.ssrc, 8);
  bytes.set(packet.payload, headerBytes);
  return bytes;
}

/** Null for bytes that are no RTP packet. Contributing sources, an extension and padding are skipped. */
export function parseRtp(bytes: Buffer): RtpPacket | null {
  if (bytes.length < headerBytes || (bytes.readUInt8(0) & 0xc0) !== firstByte) return null;
  const flags = bytes.readUInt8(0);
  let start = headerBytes + 4 * (flags & 0x0f);
  const hasExtension = (flags & 0x10) !== 0;
  if (hasExtension && bytes.length < start + 4) return null;
  if (hasExtension) start += 4 + 4 * bytes.readUInt16BE(start + 2);
  const padding = flags & 0x20 ? bytes.readUInt8(bytes.length - 1) : 0;
  if (start + padding > bytes.length) return null;
  return {
    payloadType: bytes.readUInt8(1) & 0x7f,
    marker: (bytes.readUInt8(1) & markerBit) !== 0,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    ssrc: bytes.readUInt32BE(8),
    payload: bytes.subarray(start, bytes.length - padding),
  };
}

/** The packets of one sender: sequence numbers count packets, timestamps follow the time of the stream. */
export class RtpSender {
  readonly #stream: RtpStream;
  #sent = 0;

  constructor(stream: RtpStream) {
    this.#stream = stream;
  }

  /** `frame` is the time since the stream began, in frames. `payloadType` differs from the stream's for events. */
  packet(frame: number, payload: Uint8Array, options: { marker: boolean; payloadType?: number }): Buffer {
    const { ssrc, firstSequence, firstTimestamp } = this.#stream;
    return formatRtp({
      payloadType: options.payloadType ?? this.#stream.payloadType,
      marker: options.marker,
      sequence: firstSequence + this.#sent++,
      timestamp: firstTimestamp + frame * frameSamples,
      ssrc,
      payload,
    });
  }
}

export function framesOf(audio: Uint8Array): Uint8Array[] {
  if (audio.length % frameSamples !== 0) throw new RangeError(`audio must consist of frames of ${frameSamples} bytes`);
  return Array.from({ length: audio.length / frameSamples }, (_, position) =>
    audio.subarray(position * frameSamples, (position + 1) * frameSamples),
  );
}
