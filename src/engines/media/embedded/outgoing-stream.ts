/**
 * The RTP that one party hears: what the other sends, less the key presses that were taken out, and with those that
 * were put in. Sequence numbers stay without gaps, and none is used twice.
 */

import { randomBytes } from 'node:crypto';
import { formatTelephoneEvent } from '../../speech/telephone-event.ts';

const headerBytes = 12;
/** A packet that is further behind is no late one: the sender has started again. */
const mostLate = 100;

interface KeyTone {
  payload: number;
  /** Of the timestamps. */
  clock: number;
}

export class OutgoingStream {
  #isKnown = false;
  readonly #random = randomBytes(10);
  #ssrc = this.#random.readUInt32BE(0);
  #timestamp = this.#random.readUInt32BE(4);
  #sequence = this.#random.readUInt16BE(8);
  #sentAt = 0;
  #clock = 8_000;
  /** What is added to the sequence numbers of the other party's stream. */
  #shift = 0;
  /** Packets of that stream before this number were numbered otherwise, and come too late. */
  #shiftedAt = 0;
  #hasShifted = false;
  /** Key presses take the place of the voice. */
  isPressing = false;

  /** Takes a packet out: key presses that were told, or the voice while a key is sent. */
  skip(ssrc: number, sequence: number): void {
    if (!this.#isKnown || ssrc !== this.#ssrc || !this.#isNew(sequence)) return;
    this.#shift = (this.#shift - 1) & 0xffff;
    this.#noteShift(sequence + 1);
  }

  /** Numbers a packet that goes on, in place. False if it comes too late to have a number. */
  number(bytes: Buffer, ssrc: number, sequence: number, timestamp: number, clock: number, nowMs: number): boolean {
    if (!this.#isKnown || ssrc !== this.#ssrc) this.#begin(ssrc, sequence);
    else if (this.#stepTo(sequence) < -mostLate) this.#goOnWith(sequence);
    if (this.#hasShifted && ((sequence - this.#shiftedAt) << 16) >> 16 < 0) return false;
    const isNew = this.#isNew(sequence);
    const own = (sequence + this.#shift) & 0xffff;
    if (this.#shift !== 0) bytes.writeUInt16BE(own, 2);
    if (!isNew) return true;
    this.#sequence = own;
    if (clock === 0) return true;
    this.#timestamp = timestamp;
    this.#sentAt = nowMs;
    this.#clock = clock;
    return true;
  }

  /** The timestamp of what begins now. */
  timestampAt(nowMs: number): number {
    if (this.#sentAt === 0) this.#sentAt = nowMs;
    return (this.#timestamp + Math.round(((nowMs - this.#sentAt) * this.#clock) / 1000)) >>> 0;
  }

  /** A packet of a key press that is put in. */
  keyPacket(
    event: { key: string; isEnd: boolean; duration: number },
    tone: KeyTone,
    timestamp: number,
    isFirst: boolean,
  ): Buffer {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    if (this.#isKnown) {
      this.#noteShift(this.#sequence - this.#shift);
      this.#shift = (this.#shift + 1) & 0xffff;
    }
    const bytes = Buffer.alloc(headerBytes + 4);
    bytes.writeUInt8(0x80, 0);
    bytes.writeUInt8((isFirst ? 0x80 : 0) | tone.payload, 1);
    bytes.writeUInt16BE(this.#sequence, 2);
    bytes.writeUInt32BE(timestamp, 4);
    bytes.writeUInt32BE(this.#ssrc, 8);
    bytes.set(formatTelephoneEvent(event), headerBytes);
    return bytes;
  }

  #begin(ssrc: number, sequence: number): void {
    this.#isKnown = true;
    this.#ssrc = ssrc;
    this.#shift = 0;
    this.#hasShifted = false;
    this.#sequence = (sequence - 1) & 0xffff;
  }

  /**
   * The sender has begun anew under the same SSRC. To a party with SRTP its packets would be old ones: a number is used
   * only once with a key.
   */
  #goOnWith(sequence: number): void {
    this.#shift = (this.#sequence + 1 - sequence) & 0xffff;
    this.#noteShift(sequence);
  }

  #noteShift(since: number): void {
    this.#shiftedAt = since & 0xffff;
    this.#hasShifted = true;
  }

  /** Whether it is behind all that have come. */
  #isNew(sequence: number): boolean {
    return this.#stepTo(sequence) > 0;
  }

  /** From the last number that went on; below zero for a packet that comes late. */
  #stepTo(sequence: number): number {
    return ((sequence + this.#shift - this.#sequence) << 16) >> 16;
  }
}
