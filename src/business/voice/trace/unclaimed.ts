/**
 * The last requests that belong to no traced call yet: a call is known to the engine only after its first request was
 * read, and a refused one gives its sample from here.
 */
import QuickLRU from 'quick-lru';
import type { SeenMessage } from './call-trace.ts';

const mostCalls = 256;
/** A first request, the challenge, the second one, and repetitions. */
const mostMessages = 6;

export class Unclaimed {
  readonly #calls = new QuickLRU<string, SeenMessage[]>({ maxSize: mostCalls });

  /** Only a received INVITE or REGISTER begins a new list. */
  add(callId: string, message: SeenMessage): void {
    const known = this.#calls.get(callId);
    if (known !== undefined) {
      if (known.length < mostMessages) known.push(message);
      return;
    }
    if (message.way !== 'in' || !/^(INVITE|REGISTER) /.test(message.bytes.toString('latin1', 0, 9))) return;
    this.#calls.set(callId, [message]);
  }

  /** Returns what was seen of a call, and forgets it. */
  take(callId: string): readonly SeenMessage[] {
    const messages = this.#calls.get(callId) ?? [];
    this.#calls.delete(callId);
    return messages;
  }
}

const usual = Buffer.from('\r\nCall-ID: ');

/** The Call-ID of a message without parsing it, also of one that the parser refuses; empty if there is none. */
export function callIdOf(bytes: Buffer): string {
  const at = bytes.indexOf(usual);
  if (at >= 0) {
    const start = at + usual.length;
    const end = bytes.indexOf(10, start);
    return bytes.toString('latin1', start, end < 0 ? bytes.length : end).trim();
  }
  return /^(?:call-id|i)[ \t]*:[ \t]*(.*?)[ \t]*\r?$/im.exec(bytes.toString('latin1'))?.[1] ?? '';
}
