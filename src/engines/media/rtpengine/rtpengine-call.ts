/** A call whose voices an rtpengine carries. */
import { randomBytes } from 'node:crypto';
import type { Timer, Timers } from '../../sip/timers.ts';
import {
  type CallQuality,
  type LegSettings,
  type MediaCall,
  type MediaLeg,
  MediaRefused,
  MediaUnavailable,
  type MediaUser,
} from '../media-engine.ts';
import { forBrowsers } from './browser-description.ts';
import { type Control, Unanswered } from './control.ts';
import { Described } from './description.ts';
import { added } from './figures.ts';
import { RtpengineLeg } from './leg.ts';
import { type Offered, Pair, pairId } from './pair.ts';
import { codecsToAdd } from './transcoding.ts';

/** How often rtpengine is asked what it has heard. */
const queryMs = 5_000;

interface CallHost {
  readonly timers: Timers;
  /** Hosts that take calls, the preferred one first. */
  controls(): readonly Control[];
  closed(call: RtpengineCall): void;
  /** Whether one more call may be transcoded. */
  mayTranscode(): boolean;
}

export class RtpengineCall implements MediaCall {
  readonly #id: string;
  readonly #host: CallHost;
  readonly #user: MediaUser;
  readonly #startedMs: number;
  readonly #legs: RtpengineLeg[] = [];
  readonly #pairs: Pair[] = [];
  #joined = 0;
  /** Pairs that a party has left; their figures are kept. */
  readonly #former: Pair[] = [];
  /** The host that carries the call, once one has answered. */
  #control: Control | null = null;
  #timer: Timer | null = null;
  #isClosed = false;
  #isDead = false;
  #isTranscoded = false;

  constructor(id: string, host: CallHost, user: MediaUser) {
    this.#id = id;
    this.#host = host;
    this.#user = user;
    this.#startedMs = host.timers.now();
  }

  /** Counts as long as the call lasts, whatever its parties describe later. */
  get isTranscoded(): boolean {
    return this.#isTranscoded;
  }

  get control(): Control | null {
    return this.#control;
  }

  leg(name: string, settings: LegSettings): MediaLeg {
    const leg = new RtpengineLeg(name, settings, randomBytes(8).toString('hex'), (to, key, durationMs) =>
      this.#press(to, key, durationMs),
    );
    this.#legs.push(leg);
    return leg;
  }

  async offer(from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer> {
    const [sender, receiver] = [this.#own(from), this.#own(to)];
    const known = this.#pairs.findLast((pair) => pair.joins(sender, receiver));
    const described = new Described(sdp);
    const added = this.#codecsToAdd(described, receiver, known);
    sender.described = described;
    const offered = { from: sender, to: receiver, sdp: described, added };
    const rewritten = known ? await unlessAway(known.offer(offered)) : await this.#join(offered);
    return receiver.origin.write(forBrowsers(rewritten, sender, receiver));
  }

  async answer(from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer> {
    const [sender, receiver] = [this.#own(from), this.#own(to)];
    const pair = this.#pairs.findLast((one) => one.joins(sender, receiver));
    if (pair === undefined) throw new MediaUnavailable('The offer is not known to rtpengine any more');
    sender.described = new Described(sdp);
    const rewritten = await unlessAway(pair.answer(sender, receiver, sender.described.text));
    sender.codec = sender.described.codec;
    receiver.codec = new Described(Buffer.from(rewritten, 'latin1')).codec;
    this.#timer ??= this.#nextQuery();
    return receiver.origin.write(forBrowsers(rewritten, sender, receiver));
  }

  refused(from: MediaLeg, to: MediaLeg): void {
    const pair = this.#pairs.findLast((one) => one.joins(this.#own(from), this.#own(to)));
    if (pair === undefined) return;
    if (!pair.isAgreed) this.#pairs.splice(this.#pairs.indexOf(pair), 1);
    void ignoringAbsence(pair.restore());
  }

  drop(leg: MediaLeg): void {
    const own = this.#own(leg);
    for (const pair of this.#pairs.filter(({ legs }) => legs.includes(own))) {
      this.#pairs.splice(this.#pairs.indexOf(pair), 1);
      if (pair.isAgreed) this.#former.push(pair);
      void ignoringAbsence(this.#leave(pair));
    }
  }

  async quality(): Promise<CallQuality> {
    await Promise.all(this.#agreed.map((pair) => ignoringAbsence(pair.query(this.#second))));
    return this.#figures();
  }

  async close(): Promise<CallQuality> {
    if (this.#isClosed) return this.#figures();
    this.#isClosed = true;
    this.#timer?.close();
    await Promise.all(this.#pairs.map((pair) => ignoringAbsence(this.#leave(pair))));
    this.#host.closed(this);
    return this.#figures();
  }

  /** The host is gone, and the voices with it. */
  die(reason: string): void {
    if (this.#isDead || this.#isClosed) return;
    this.#isDead = true;
    this.#timer?.close();
    this.#user.died(reason);
  }

  /** What the receiver gets instead of codecs that it does not have; null if it has one of them. */
  #codecsToAdd(described: Described, receiver: RtpengineLeg, pair: Pair | undefined): readonly string[] | null {
    const before = pair?.isTranscoded === true ? (receiver.described?.codecs ?? []) : null;
    const wanted = receiver.settings.codecs ?? before?.map((codec) => codec.toLowerCase()) ?? null;
    const added = wanted && codecsToAdd(described, wanted);
    if (added === null) return null;
    this.#isTranscoded ||= added.length > 0 && this.#host.mayTranscode() && this.#user.mayTranscode?.() === true;
    if (!this.#isTranscoded) throw new MediaRefused('No codec in common, and no more calls may be transcoded now');
    return added;
  }

  /** The first description chooses the host; one that does not answer is passed over. */
  async #join(offered: Offered): Promise<string> {
    const controls = this.#control === null ? this.#host.controls() : [this.#control];
    let why = 'No rtpengine answers';
    for (const control of controls) {
      const pair = new Pair(pairId(this.#id, this.#joined++), control, [offered.from, offered.to]);
      try {
        const described = await pair.offer(offered);
        // If the call was closed meanwhile, nobody else would delete it there.
        if (this.#isClosed) void ignoringAbsence(pair.delete());
        this.#control = control;
        this.#pairs.push(pair);
        return described;
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        void ignoringAbsence(pair.delete());
        why = `rtpengine ${control.name} ${error.message}`;
      }
    }
    throw new MediaUnavailable(why);
  }

  async #leave(pair: Pair): Promise<void> {
    if (pair.isAgreed) await pair.query(this.#second);
    await pair.delete();
  }

  #nextQuery(): Timer {
    const least = Math.min(queryMs, ...this.#legs.map(({ settings }) => (settings.silenceSeconds ?? 60) * 250));
    return this.#host.timers.after(least, () => void this.#listen(), undefined);
  }

  /** Asks what has been heard: whether a party has fallen silent, and whether rtpengine still knows the call. */
  async #listen(): Promise<void> {
    const known = await Promise.all(this.#agreed.map((pair) => ignoringAbsence(pair.query(this.#second))));
    if (this.#isClosed || this.#isDead) return;
    if (known.includes(false)) return this.die(`rtpengine ${this.#control?.name} has lost the call`);
    const now = this.#host.timers.now();
    for (const leg of this.#legs) {
      const heard = this.#agreed.flatMap(({ figures }) => figures.get(leg) ?? []);
      const packets = heard.reduce((sum, one) => sum + one.packets, 0);
      // On hold nobody needs to send: not all have music for it.
      const pair = this.#agreed.findLast(({ legs }) => legs.includes(leg));
      const shouldSend = pair?.legs.every(({ described }) => described?.isOpen === true) ?? false;
      if (heard.length > 0 && leg.countedAt(now, packets, shouldSend)) this.#user.silent(leg);
    }
    this.#timer = this.#nextQuery();
  }

  /** The party that the other one hears is said to have pressed the key. */
  #press(to: RtpengineLeg, key: string, durationMs: number): boolean {
    const pair = this.#agreed.findLast(({ legs }) => legs.includes(to));
    const sender = pair?.legs.find((leg) => leg !== to);
    if (pair === undefined || sender === undefined) return false;
    void ignoringAbsence(pair.play(sender, key, durationMs));
    return true;
  }

  get #agreed(): Pair[] {
    return this.#pairs.filter(({ isAgreed }) => isAgreed);
  }

  get #second(): number {
    return Math.round((this.#host.timers.now() - this.#startedMs) / 1000);
  }

  #figures(): CallQuality {
    const pairs = [...this.#former, ...this.#pairs];
    const legs = this.#legs.map((leg) => {
      const heard = pairs.flatMap(({ figures }) => figures.get(leg)?.heard(leg) ?? []);
      return { name: leg.name, heard: added(heard) };
    });
    return { legs };
  }

  #own(leg: MediaLeg): RtpengineLeg {
    if (leg instanceof RtpengineLeg && this.#legs.includes(leg)) return leg;
    throw new Error(`"${leg.name}" is a leg of another call`);
  }
}

/** For a host that carries the call already: no other one can take over. */
async function unlessAway(described: Promise<string>): Promise<string> {
  try {
    return await described;
  } catch (error) {
    throw error instanceof Unanswered ? new MediaUnavailable(`rtpengine ${error.message}`) : error;
  }
}

/** Resolves with null if the host does not answer: its pings decide what becomes of its calls. */
async function ignoringAbsence<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Unanswered) return null;
    throw error;
  }
}
