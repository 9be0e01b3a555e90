/**
 * Cuts messages out of a byte stream by Content-Length (RFC 3261 18.3), and recognises keep-alives (RFC 5626 3.5.1).
 */
import { limits } from '../message/limits.ts';
import { headBounds } from '../message/parse.ts';
import { badRequest } from '../message/sip-error.ts';
import { parseDigits } from '../message/text.ts';

interface FramedOutput {
  message(bytes: Buffer): void;
  /** A double CRLF between messages: the peer expects a single one back. */
  ping(): void;
}

const carriageReturn = 13;
const lineFeed = 10;

/** All spellings of the header, after unfolding. */
const lengthHeader = /^(?:content-length|l)[ \t]*:[ \t]*(.*?)[ \t]*\r?$/gim;

export class StreamFramer {
  readonly #output: FramedOutput;
  #pending: Buffer = Buffer.alloc(0);
  /** Length of the message being received once its head is complete. */
  #wanted: number | null = null;
  /** How far the end of the head has been looked for, so that slow senders cost no repeated search. */
  #searched = 0;

  constructor(output: FramedOutput) {
    this.#output = output;
  }

  /** Whether a message has begun and is not complete. */
  get isWithinMessage(): boolean {
    return this.#pending.length > 0;
  }

  /** Throws `SipError` when no further message can be found; the connection must then be closed. */
  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length > 0) {
      if (this.#wanted === null && !this.#startMessage()) return;
      if (this.#wanted === null || this.#pending.length < this.#wanted) return;
      const bytes = this.#pending.subarray(0, this.#wanted);
      this.#pending = this.#pending.subarray(this.#wanted);
      this.#wanted = null;
      this.#output.message(bytes);
    }
  }

  /** Skips keep-alives and reads the length of the next message; false while its head is incomplete. */
  #startMessage(): boolean {
    if (this.#searched === 0) this.#skipEmptyLines();
    // The rest of an empty line is still to come.
    if (this.#pending.length === 1 && this.#pending[0] === carriageReturn) return false;
    const { headEnd, bodyStart } = headBounds(this.#pending, Math.max(0, this.#searched - 3));
    const incomplete = headEnd === this.#pending.length;
    if (headEnd > limits.headBytes) throw badRequest('Headers too large');
    if (incomplete) {
      this.#searched = this.#pending.length;
      return false;
    }
    this.#searched = 0;
    const length = statedLength(this.#pending.toString('latin1', 0, headEnd));
    if (bodyStart + length > limits.messageBytes) throw badRequest('Message too large');
    this.#wanted = bodyStart + length;
    return true;
  }

  #skipEmptyLines(): void {
    let at = 0;
    while (this.#pending[at] === carriageReturn && this.#pending[at + 1] === lineFeed) {
      const double = this.#pending[at + 2] === carriageReturn && this.#pending[at + 3] === lineFeed;
      if (double) this.#output.ping();
      at += double ? 4 : 2;
    }
    this.#pending = this.#pending.subarray(at);
  }
}

/** A stream without exactly one valid length has no next message. */
function statedLength(head: string): number {
  const values = [...head.replace(/\r?\n[ \t]+/g, ' ').matchAll(lengthHeader)];
  const length = values.length === 1 ? parseDigits(values[0]?.[1] ?? '', 9) : null;
  if (length === null) throw badRequest('Missing or malformed Content-Length');
  return length;
}
