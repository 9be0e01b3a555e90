/**
 * One call through one carrier that plays audio: dials, plays once the call is answered, begins again after a hold, and
 * hangs up at the end. Nothing that the called party does makes it last longer than its limits.
 */

import type { AudioLeg } from '../../engines/phone/audio-leg.ts';
import { SdpError } from '../../engines/phone/sdp.ts';
import type { OutgoingCall, OutgoingUser } from '../../engines/sip/dialog/outgoing-call.ts';
import type { Session, SessionUser } from '../../engines/sip/dialog/session.ts';
import type { SipRequest, SipResponse } from '../../engines/sip/message/message.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import type { SipEndpoint } from '../b2bua/endpoint.ts';
import type { CallEnd } from './call-records.ts';

export interface SpokenCallOptions {
  /** What `endpoint.place` needs to dial, without the SDP. */
  dial: Pick<
    Parameters<SipEndpoint['place']>[0],
    'uri' | 'from' | 'to' | 'targets' | 'account' | 'callId' | 'reliable'
  > & {
    headers: readonly (readonly [string, string])[];
  };
  /** Frames of µ-law. */
  frames: readonly Uint8Array[];
  /** After so many frames the called party has heard what matters. */
  framesThatMatter: number;
  ringingMs: number;
  /** Longest time from the answer to the end, holds included. */
  longestMs: number;
  /** The called phone rings, or the carrier says that it does; may be called again. */
  ringing?: () => void;
  answered: () => void;
}

/** `rang`: the called party's phone has rung, so the call must not be tried through another carrier. */
export type SpokenCallEnd = CallEnd & { rang: boolean };

export class SpokenCall implements OutgoingUser, SessionUser {
  readonly #leg: AudioLeg;
  readonly #options: SpokenCallOptions;
  readonly #signal: AbortSignal;
  readonly #result = Promise.withResolvers<SpokenCallEnd>();
  /** Aborted when the call is over. */
  readonly #over = new AbortController();
  /** Aborted while the called party does not listen. */
  #listening = new AbortController();
  #heardFrames = 0;
  #rang = false;
  #answeredAt: number | null = null;
  #awaitsAnswer = false;
  #isRefused = false;
  #limit: NodeJS.Timeout | undefined;
  /** Why this end hangs up. */
  #reason: CallEnd['reason'] | null = null;

  constructor(leg: AudioLeg, options: SpokenCallOptions, signal: AbortSignal) {
    this.#leg = leg;
    this.#options = options;
    this.#signal = signal;
  }

  /** Resolves once when the call has ended, whatever became of it. Closes the leg. */
  async run(endpoint: SipEndpoint): Promise<SpokenCallEnd> {
    const { headers, ...dial } = this.#options.dial;
    const content = this.#leg.offer();
    const call = endpoint.place(
      { ...dial, extra: { content, headers }, ringingMs: this.#options.ringingMs },
      this,
      this,
    );
    const giveUp = () => call.cancel();
    this.#signal.addEventListener('abort', giveUp);
    if (this.#signal.aborted) giveUp();
    try {
      return await this.#result.promise;
    } finally {
      this.#signal.removeEventListener('abort', giveUp);
      clearTimeout(this.#limit);
      await this.#leg.close();
    }
  }

  /** Early media is not listened to, and nothing is said before the answer. */
  progress(_call: OutgoingCall, response: SipResponse): void {
    if (response.status < 180) return;
    this.#rang = true;
    this.#options.ringing?.();
  }

  failed(_call: OutgoingCall, status: number, reason: string, response: SipResponse | null): void {
    const noAnswer = this.#rang && response === null && status === 408;
    const outcome = noAnswer || notAnswered.has(status) ? 'not_answered' : 'refused';
    this.#result.resolve({ outcome, code: status, reason, seconds: 0, rang: noAnswer });
  }

  answered(_call: OutgoingCall, session: Session, response: SipResponse): void {
    session.acknowledge(response);
    this.#answeredAt = performance.now();
    this.#signal.addEventListener('abort', () => this.#hangUp(session, 'this process stops'), {
      signal: this.#over.signal,
    });
    this.#isRefused = !this.#accept(response.body);
    if (this.#isRefused) return void this.#hangUp(session, 'the answer has neither PCMU nor PCMA');
    if (this.#signal.aborted) return void this.#hangUp(session, 'this process stops');
    this.#options.answered();
    this.#limit = setTimeout(() => this.#hangUp(session, 'held too long'), this.#options.longestMs);
    if (this.#leg.isHeard) void this.#speak(session);
  }

  request(session: Session, transaction: ServerTransaction): void {
    const { method, body } = transaction.request;
    if (method !== 'INVITE' && method !== 'UPDATE')
      return void session.answer(transaction, method === 'INFO' ? 200 : 405);
    const wasHeard = this.#leg.isHeard;
    try {
      this.#awaitsAnswer = method === 'INVITE' && body.length === 0;
      const content = this.#awaitsAnswer ? this.#leg.offer() : this.#leg.answer(body);
      session.answer(transaction, 200, { content });
      this.#noteHold(session, wasHeard);
    } catch (error) {
      // The former audio stays.
      if (!(error instanceof SdpError)) throw error;
      session.answer(transaction, 488);
    }
  }

  acknowledged(session: Session, ack: SipRequest): void {
    if (!this.#awaitsAnswer) return;
    this.#awaitsAnswer = false;
    const wasHeard = this.#leg.isHeard;
    if (this.#accept(ack.body)) this.#noteHold(session, wasHeard);
  }

  ended(_session: Session, cause: string): void {
    this.#over.abort();
    this.#listening.abort();
    const seconds = this.#answeredAt === null ? 0 : (performance.now() - this.#answeredAt) / 1000;
    const reason =
      this.#reason ?? (cause === 'remote' ? 'hung up by the called party' : `the call was lost (${cause})`);
    const isSpoken = this.#heardFrames >= this.#options.framesThatMatter;
    const end = { reason, seconds: Math.ceil(seconds) };
    if (this.#isRefused) this.#result.resolve({ ...end, outcome: 'refused', code: 488, rang: false });
    else this.#result.resolve({ ...end, outcome: isSpoken ? 'spoken' : 'hung_up_early', code: 200, rang: true });
  }

  #accept(answer: Buffer): boolean {
    try {
      this.#leg.accept(answer);
      return true;
    } catch (error) {
      if (error instanceof SdpError) return false;
      throw error;
    }
  }

  #noteHold(session: Session, wasHeard: boolean): void {
    if (wasHeard === this.#leg.isHeard) return;
    this.#listening.abort();
    if (!wasHeard) void this.#speak(session);
  }

  /** From the beginning, also after a hold: nobody remembers half a code. */
  async #speak(session: Session): Promise<void> {
    this.#listening = new AbortController();
    const played = await this.#leg.play(this.#countedFrames(), this.#listening.signal);
    if (played === this.#options.frames.length) this.#hangUp(session, 'spoken to the end');
  }

  *#countedFrames(): Generator<Uint8Array> {
    for (const [position, frame] of this.#options.frames.entries()) {
      yield frame;
      this.#heardFrames = Math.max(this.#heardFrames, position + 1);
    }
  }

  #hangUp(session: Session, reason: string): void {
    this.#reason ??= reason;
    session.hangUp();
  }
}

/** The called party did not want it, or was not there. */
const notAnswered: ReadonlySet<number> = new Set([408, 480, 486, 487, 600, 603]);
