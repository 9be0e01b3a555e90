/**
 * A phone of the sandbox's own: it rings for a moment, answers, plays a short tone, and lets callers hear themselves.
 * It has a port on loopback from its first call on, and as many calls at a time as there are.
 */
import { AudioLeg } from '../../engines/phone/audio-leg.ts';
import { SdpError } from '../../engines/phone/sdp.ts';
import type { IncomingCall } from '../../engines/sip/dialog/incoming-call.ts';
import type { Session, SessionUser } from '../../engines/sip/dialog/session.ts';
import { machineIds } from '../../engines/sip/ids.ts';
import { machineTimers } from '../../engines/sip/timers.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import { openUdpWire } from '../../engines/sip/transport/udp-wire.ts';
import { UserAgent } from '../../engines/sip/user-agent.ts';
import { decodeALaw, encodeMuLaw, muLawSilence } from '../../engines/speech/g711.ts';
import { frameMs, frameSamples, payloadTypes, type RtpPacket } from '../../engines/speech/rtp.ts';
import { toneFrames } from '../../engines/speech/tone.ts';

const host = '127.0.0.1';
const ringMs = 1_000;
const greeting = { hertz: 440, frames: 1_000 / frameMs };
/** Nobody listens to an echo for longer. */
const longestMs = 600_000;
/** Half a second: what has waited longer is an echo too late. */
const mostFrames = 500 / frameMs;

export class EchoPhone {
  readonly #agent: UserAgent;
  #port: Promise<number> | null = null;

  constructor() {
    this.#agent = new UserAgent(
      { timers: machineTimers, ids: machineIds, random: Math.random, contactUser: 'echo' },
      { call: (call) => this.#ring(call), request: (transaction) => transaction.reply(405) },
    );
  }

  /** Opens it if need be. */
  async address(): Promise<{ host: string; port: number }> {
    this.#port ??= this.#open();
    return { host, port: await this.#port };
  }

  async close(): Promise<void> {
    if (this.#port !== null) await this.#agent.close();
  }

  async #open(): Promise<number> {
    const wire = await openUdpWire({ host, port: 0 }, this.#agent.transport.received);
    this.#agent.transport.attach(wire, { host });
    return wire.port;
  }

  #ring(call: IncomingCall): void {
    call.progress(180);
    const timer = machineTimers.after(ringMs, (ringing: IncomingCall) => void answer(ringing), call);
    call.watch({ cancelled: () => timer.close() });
  }
}

async function answer(incoming: IncomingCall): Promise<void> {
  const echo = new Echo();
  const leg = await AudioLeg.open({ host, received: (packet) => echo.hear(packet) });
  const call = new EchoCall(leg, echo);
  try {
    const { body } = incoming.transaction.request;
    const isDelayed = body.length === 0;
    const session = incoming.accept({ content: isDelayed ? leg.offer() : leg.answer(body) }, call);
    if (session === null) await leg.close();
    else call.answered(session, isDelayed);
  } catch (error) {
    await leg.close();
    if (!(error instanceof SdpError)) throw error;
    incoming.reject(488);
  }
}

class EchoCall implements SessionUser {
  readonly #leg: AudioLeg;
  readonly #echo: Echo;
  readonly #stop = new AbortController();
  #isDelayed = false;
  #timer: { close(): void } | null = null;

  constructor(leg: AudioLeg, echo: Echo) {
    this.#leg = leg;
    this.#echo = echo;
  }

  answered(session: Session, isDelayed: boolean): void {
    this.#isDelayed = isDelayed;
    this.#timer = machineTimers.after(longestMs, (one: Session) => one.hangUp(), session);
    if (!isDelayed) void this.#leg.play(this.#echo.frames(), this.#stop.signal);
  }

  acknowledged(session: Session, ack: { body: Buffer }): void {
    if (!this.#isDelayed) return;
    this.#isDelayed = false;
    if (!this.#agreed(() => this.#leg.accept(ack.body))) return void session.hangUp();
    void this.#leg.play(this.#echo.frames(), this.#stop.signal);
  }

  request(session: Session, transaction: ServerTransaction): void {
    const { method, body } = transaction.request;
    if (method === 'INFO') return void session.answer(transaction, 200);
    if ((method !== 'INVITE' && method !== 'UPDATE') || body.length === 0) return void session.answer(transaction, 488);
    const isAgreed = this.#agreed(() => session.answer(transaction, 200, { content: this.#leg.answer(body) }));
    if (!isAgreed) session.answer(transaction, 488);
  }

  ended(): void {
    this.#timer?.close();
    this.#stop.abort();
    void this.#leg.close();
  }

  #agreed(action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      if (!(error instanceof SdpError)) throw error;
      return false;
    }
  }
}

/** What was heard, to be played again. */
class Echo {
  readonly #heard: Uint8Array[] = [];

  hear({ payloadType, payload }: RtpPacket): void {
    const frame = muLawOf(payloadType, payload);
    if (frame === null) return;
    this.#heard.push(frame);
    if (this.#heard.length > mostFrames) this.#heard.shift();
  }

  *frames(): Generator<Uint8Array> {
    const tone = toneFrames(greeting.hertz);
    for (let at = 0; at < greeting.frames; at++) yield tone.next().value;
    this.#heard.length = 0;
    const silence = new Uint8Array(frameSamples).fill(muLawSilence);
    for (;;) yield this.#heard.shift() ?? silence;
  }
}

function muLawOf(payloadType: number, payload: Uint8Array): Uint8Array | null {
  if (payload.length !== frameSamples) return null;
  if (payloadType === payloadTypes.PCMU) return Uint8Array.from(payload);
  return payloadType === payloadTypes.PCMA ? Uint8Array.from(decodeALaw(payload), encodeMuLaw) : null;
}
