/**
 * The trace of one call in the memory of the process that carries it: what is not written yet, and how much was kept.
 */
import type { CallQuality } from '../../../engines/media/media-engine.ts';
import type { Moment } from '../moment.ts';
import { blankSecrets } from './blank-secrets.ts';
import { type Endpoint, endpointText, type TracedCall, type TraceEntry, type Way } from './entries.ts';

/** A message as it was seen, before it is made readable. */
export interface SeenMessage {
  readonly at: Moment;
  readonly way: Way;
  readonly bytes: Buffer;
  readonly peer: Endpoint;
  readonly local: Endpoint | null;
}

/** What the engine reports to; a call that is not traced has one that ignores everything. */
export interface CallTrace {
  /** False for a call that is not traced: what would be reported need not be made. */
  readonly isRecording: boolean;
  /** `internal` is for the operator only, because it names a carrier. */
  note(text: string, options?: { internal?: boolean }): void;
  /** The call has changed its state, or has a new attempt. */
  changed(call: TracedCall): void;
  /** What was heard of the media, when the call has ended. */
  heard(quality: CallQuality): void;
  /** The call was refused by this rule. */
  refused(call: TracedCall, rule: string): void;
}

const nothing = (): void => undefined;

export const noTrace: CallTrace = {
  ...{ isRecording: false, note: nothing, changed: nothing, heard: nothing, refused: nothing },
};

type Pending = { leg: number; message: SeenMessage } | Extract<TraceEntry, { kind: 'reason' }>;

/** Entries kept of one call; the last ones are for its end only, so that a talkative call shows how it ended. */
export const mostEntries = 200;
const keptForTheEnd = 40;
/** Bytes kept of one message. */
const mostBytes = 8_192;

export class RecordedTrace {
  call: TracedCall;
  readonly callerCallId: string | null;
  /** The rule that refused the call. */
  refusal: string | null = null;
  /** What was heard of the media. */
  media: CallQuality | null = null;
  dropped = 0;
  /** SIP Call-IDs of legs beside the one that an attempt is known by: other contacts, or after a redirection. */
  readonly furtherLegs: string[] = [];
  /** When the call ended, by the machine's monotonic clock. */
  endedAtMs: number | null = null;
  /** Bytes of messages that are not written yet. */
  waitingBytes = 0;
  #kept = 0;
  #pending: Pending[] = [];

  constructor(call: TracedCall, callerCallId: string | null) {
    this.call = call;
    this.callerCallId = callerCallId;
  }

  /** SIP Call-IDs of all legs: the caller's, empty for a simulated call, then one per attempt, then further ones. */
  get legCallIds(): string[] {
    const attempts = this.call.attempts.map(({ callId }) => callId);
    return [this.callerCallId ?? '', ...attempts, ...this.furtherLegs.filter((callId) => !attempts.includes(callId))];
  }

  /** The call has changed; of several legs of an attempt it is known by the one that answered. */
  replace(call: TracedCall): void {
    const known = this.legCallIds;
    this.call = call;
    const now = this.legCallIds;
    this.furtherLegs.push(...known.filter((callId) => !now.includes(callId)));
  }

  /** Returns the bytes that the message takes until it is written, or 0 if it is not kept. */
  addMessage(leg: number, message: SeenMessage): number {
    if (this.#kept >= mostEntries - (isOfTheEnd(message.bytes) ? 0 : keptForTheEnd)) {
      this.dropped += 1;
      return 0;
    }
    this.#kept += 1;
    this.#pending.push({ leg, message });
    const bytes = Math.min(message.bytes.length, mostBytes);
    this.waitingBytes += bytes;
    return bytes;
  }

  addReason(at: Moment, text: string, internal: boolean): void {
    if (this.#kept >= mostEntries) {
      this.dropped += 1;
      return;
    }
    this.#kept += 1;
    this.#pending.push({ kind: 'reason', at: at.toJSON(), text, ...(internal && { internal: true }) });
  }

  /** Returns the entries that are not written yet in their stored form, and forgets them. */
  take(): TraceEntry[] {
    const pending = this.#pending;
    this.#pending = [];
    this.waitingBytes = 0;
    return pending.map((entry) => ('kind' in entry ? entry : readable(entry.leg, entry.message)));
  }
}

/** Cheap enough for every message: the method is in the first line, or in the CSeq of a response. */
function isOfTheEnd(bytes: Buffer): boolean {
  return /^(BYE|CANCEL) |^SIP\/2\.0 [4-6]|^CSeq:[ \t]*\d+[ \t]+(BYE|CANCEL)/im.test(bytes.toString('latin1', 0, 1_024));
}

function readable(leg: number, message: SeenMessage): TraceEntry {
  const { at, way, peer, local } = message;
  return {
    kind: 'message',
    at: at.toJSON(),
    leg,
    way,
    transport: peer.transport,
    peer: endpointText(peer),
    local: local === null ? '' : endpointText(local),
    text: readableText(message),
  };
}

/** The message as text that can be stored and shown: without secrets, and not longer than `mostBytes`. */
export function readableText({ bytes }: SeenMessage): string {
  // PostgreSQL stores no NUL in text.
  const text = bytes.toString('utf8', 0, mostBytes).replaceAll('\0', '\ufffd');
  return blankSecrets(bytes.length > mostBytes ? `${text}\r\n[${bytes.length - mostBytes} more bytes]` : text);
}
