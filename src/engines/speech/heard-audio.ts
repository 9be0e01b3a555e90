/** What one end of a call hears: RTP packets put in order of their timestamps, and the keys that were pressed. */
import { decodeALaw, decodeMuLaw, sampleRate } from './g711.ts';
import { payloadTypes, type RtpPacket } from './rtp.ts';
import { readTelephoneEvent } from './telephone-event.ts';

/** What is recorded of a call at most; later audio is counted and not kept. */
const mostSamples = 600 * sampleRate;

export class HeardAudio {
  readonly #eventType: () => number | null;
  readonly #pressed: (key: string) => void;
  #samples = new Int16Array(10 * sampleRate);
  #length = 0;
  /** Timestamps are relative to the first packet of the sender. */
  #origin: { ssrc: number; timestamp: number; position: number } | null = null;
  #lastEvent: number | null = null;
  packets = 0;

  /** `eventType` returns the payload type of telephone events, as far as it has been agreed. */
  constructor(eventType: () => number | null, pressed: (key: string) => void) {
    this.#eventType = eventType;
    this.#pressed = pressed;
  }

  receive(packet: RtpPacket): void {
    if (packet.payloadType === this.#eventType()) return void this.#receiveEvent(packet);
    const decode = decoders.get(packet.payloadType);
    if (decode === undefined) return;
    this.packets += 1;
    this.#place(packet, decode(packet.payload));
  }

  /** From the first packet on; silence where packets are missing. */
  get samples(): Int16Array {
    return this.#samples.subarray(0, this.#length);
  }

  get seconds(): number {
    return this.#length / sampleRate;
  }

  /** A new sender goes on where the former one ended. */
  #place({ ssrc, timestamp }: RtpPacket, audio: Int16Array): void {
    if (this.#origin?.ssrc !== ssrc) this.#origin = { ssrc, timestamp, position: this.#length };
    // Signed difference, so that it holds across the overflow and for packets that were overtaken.
    const position = this.#origin.position + ((timestamp - this.#origin.timestamp) | 0);
    if (position < 0 || position + audio.length > mostSamples) return;
    this.#reserve(position + audio.length);
    this.#samples.set(audio, position);
    this.#length = Math.max(this.#length, position + audio.length);
  }

  #reserve(length: number): void {
    if (length <= this.#samples.length) return;
    const larger = new Int16Array(Math.max(length, 2 * this.#samples.length));
    larger.set(this.#samples);
    this.#samples = larger;
  }

  /** All packets of one key have the same timestamp, and the last is sent three times. */
  #receiveEvent({ timestamp, payload }: RtpPacket): void {
    const event = readTelephoneEvent(payload);
    if (event === null || timestamp === this.#lastEvent) return;
    this.#lastEvent = timestamp;
    this.#pressed(event.key);
  }
}

const decoders = new Map<number, (bytes: Uint8Array) => Int16Array>([
  [payloadTypes.PCMU, decodeMuLaw],
  [payloadTypes.PCMA, decodeALaw],
]);
