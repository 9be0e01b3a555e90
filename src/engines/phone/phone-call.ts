/** An answered call of the phone: plays, listens, holds, hangs up, and reports what it hears. */
import type { Session, SessionUser } from '../sip/dialog/session.ts';
import type { SipRequest } from '../sip/message/message.ts';
import type { ServerTransaction } from '../sip/transaction/server-transaction.ts';
import { sampleRate } from '../speech/g711.ts';
import { HeardAudio } from '../speech/heard-audio.ts';
import type { Codec } from '../speech/rtp.ts';
import { levelOf, toneOf } from '../speech/tone.ts';
import { AudioLeg } from './audio-leg.ts';
import type { Report } from './events.ts';
import { SdpError } from './sdp.ts';

/** What the phone does once a call is answered. Times count from the answer. */
export interface CallBehaviour {
  /** What the phone takes; PCMU and PCMA if null. */
  codecs: readonly Codec[] | null;
  /** Frames of µ-law to play. */
  play: () => Iterable<Uint8Array>;
  /** Keys to press, after a second. */
  keys: string;
  holdAfterMs: number | null;
  resumeAfterMs: number | null;
  hangUpAfterMs: number | null;
}

interface CallHost {
  /** Address of the RTP port. */
  host: string;
  behaviour: CallBehaviour;
  report: Report;
  ended(call: PhoneCall): void;
}

const keysAfterMs = 1_000;
const reportEveryMs = 1_000;
/** What is heard is judged by its last second. */
const judgedSamples = sampleRate;

export class PhoneCall implements SessionUser {
  readonly #host: CallHost;
  readonly leg: AudioLeg;
  readonly heard: HeardAudio;
  readonly #stop = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  #session: Session | null = null;
  #answeredAt: number | null = null;
  #reportedSamples = 0;
  #isHeldByPeer = false;
  /** An offer was sent in a 2xx; its answer comes with the ACK. */
  #awaitsAnswer = false;

  static async open(host: CallHost): Promise<PhoneCall> {
    let receive: HeardAudio | null = null;
    const leg = await AudioLeg.open({
      host: host.host,
      ...(host.behaviour.codecs === null ? {} : { codecs: host.behaviour.codecs }),
      received: (packet) => receive?.receive(packet),
    });
    receive = new HeardAudio(
      () => leg.eventType,
      (key) => host.report({ event: 'key', key }),
    );
    return new PhoneCall(host, leg, receive);
  }

  private constructor(host: CallHost, leg: AudioLeg, heard: HeardAudio) {
    this.#host = host;
    this.leg = leg;
    this.heard = heard;
  }

  get session(): Session | null {
    return this.#session;
  }

  /** `awaitsAnswer` if the caller made no offer, so that the audio is agreed with the ACK. */
  established(session: Session, awaitsAnswer = false): void {
    this.#session = session;
    this.#answeredAt = performance.now();
    this.#awaitsAnswer = awaitsAnswer;
    if (!awaitsAnswer) this.#begin();
  }

  request(session: Session, transaction: ServerTransaction): void {
    const { method, body } = transaction.request;
    if (method === 'INFO') return void this.#receiveInfo(session, transaction);
    if (method !== 'INVITE' && method !== 'UPDATE') return void session.answer(transaction, 405);
    if (body.length === 0) {
      this.#awaitsAnswer = true;
      return void session.answer(transaction, 200, { content: this.leg.offer() });
    }
    try {
      session.answer(transaction, 200, { content: this.leg.answer(body) });
      this.#noteHold();
    } catch (error) {
      if (!(error instanceof SdpError)) throw error;
      session.answer(transaction, 488);
    }
  }

  acknowledged(session: Session, ack: SipRequest): void {
    if (!this.#awaitsAnswer) return;
    this.#awaitsAnswer = false;
    if (!this.acceptAnswer(ack.body)) return void session.hangUp();
    if (this.#timers.length === 0) this.#begin();
    else this.#noteHold();
  }

  ended(_session: Session, cause: string): void {
    this.#stop.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    const now = performance.now();
    this.#host.report({
      event: 'ended',
      cause,
      seconds: Number(((now - (this.#answeredAt ?? now)) / 1000).toFixed(1)),
      packets: this.heard.packets,
      heard_seconds: Number(this.heard.seconds.toFixed(1)),
    });
    void this.leg.close();
    this.#host.ended(this);
  }

  hold(): void {
    this.#reinvite('held');
  }

  resume(): void {
    this.#reinvite('resumed');
  }

  hangUp(): void {
    this.#session?.hangUp();
  }

  /** False for an answer that no call can be made of. */
  acceptAnswer(body: Buffer): boolean {
    try {
      this.leg.accept(body);
      return true;
    } catch (error) {
      if (!(error instanceof SdpError)) throw error;
      return false;
    }
  }

  #begin(): void {
    const { behaviour, report } = this.#host;
    report({ event: 'answered', codec: this.leg.codec ?? 'none' });
    this.#isHeldByPeer = !this.leg.isHeard;
    void this.leg.play(behaviour.play(), this.#stop.signal);
    this.#timers.push(setInterval(() => this.#reportHearing(), reportEveryMs));
    if (behaviour.keys !== '') this.#after(keysAfterMs, () => void this.leg.press(behaviour.keys, this.#stop.signal));
    if (behaviour.holdAfterMs !== null) this.#after(behaviour.holdAfterMs, () => this.hold());
    if (behaviour.resumeAfterMs !== null) this.#after(behaviour.resumeAfterMs, () => this.resume());
    if (behaviour.hangUpAfterMs !== null) this.#after(behaviour.hangUpAfterMs, () => this.hangUp());
  }

  #after(ms: number, action: () => void): void {
    this.#timers.push(setTimeout(action, ms));
  }

  #reinvite(event: 'held' | 'resumed'): void {
    const content = this.leg.offer(event === 'held' ? 'sendonly' : 'sendrecv');
    this.#session?.reinvite({ content }, (response) => {
      if (response === null || response.status >= 300) return;
      this.#session?.acknowledge(response);
      if (this.acceptAnswer(response.body)) this.#host.report({ event, by: 'phone' });
    });
  }

  #noteHold(): void {
    if (this.#isHeldByPeer === !this.leg.isHeard) return;
    this.#isHeldByPeer = !this.leg.isHeard;
    this.#host.report({ event: this.#isHeldByPeer ? 'held' : 'resumed', by: 'peer' });
  }

  /** Some PBXes send keys as INFO requests. */
  #receiveInfo(session: Session, transaction: ServerTransaction): void {
    const [, key] = /^Signal\s*=\s*([0-9*#A-D])/im.exec(transaction.request.body.toString('latin1')) ?? [];
    if (key !== undefined) this.#host.report({ event: 'key', key });
    session.answer(transaction, 200);
  }

  #reportHearing(): void {
    const { samples, seconds } = this.heard;
    const isNew = samples.length > this.#reportedSamples;
    this.#reportedSamples = samples.length;
    const judged = samples.subarray(Math.max(0, samples.length - judgedSamples));
    const level = isNew ? levelOf(judged) : Number.NEGATIVE_INFINITY;
    this.#host.report({
      event: 'hearing',
      seconds: Number(seconds.toFixed(1)),
      level_db: Number.isFinite(level) ? Math.round(level) : null,
      tone_hz: isNew ? toneOf(judged) : null,
    });
  }
}
