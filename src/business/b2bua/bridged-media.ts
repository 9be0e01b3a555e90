/** The media of a bridged call from its first description to its end: its legs, who falls silent, what was heard. */
import type { CallQuality, LegSettings, MediaLeg } from '../../engines/media/media-engine.ts';
import type { Disconnect } from '../voice/call.ts';
import type { BridgeOptions } from './bridge-options.ts';
import { CallMedia, mediaProblemOf } from './call-media.ts';
import type { DialPlan } from './dial-plan.ts';
import type { KeyPress, KeyPressFormat } from './key-presses.ts';
import type { MediaProblem } from './media-refusals.ts';
import { mediaWords, sourceWords } from './media-words.ts';

/** The end of a call waits for its figures no longer than this. */
const mostWaitMs = 1_000;

/** What becomes of the caller's key presses in RTP, by how the called side wants them. */
const sentInRtp: Readonly<Record<KeyPressFormat, LegSettings['keyPresses']>> = {
  'as sent': 'passed',
  'in RTP': 'passed',
  off: 'dropped',
  dtmf: 'told',
  'dtmf-relay': 'told',
};

interface BridgedMediaUser {
  /** The call has to end. */
  end(disconnect: Disconnect): void;
  /** A key in the RTP of a leg whose key presses are taken out. */
  keyPressed(leg: MediaLeg, press: KeyPress): void;
}

export class BridgedMedia {
  readonly calls: CallMedia;
  readonly #options: BridgeOptions;
  readonly #user: BridgedMediaUser;
  #caller: { leg: MediaLeg; keyPresses: LegSettings['keyPresses'] } | null = null;
  #isAnswered = false;
  /** Who was silent before the answer, when nobody needs to speak. */
  readonly #early = new Set<MediaLeg>();
  #isOver = false;
  readonly #told = Promise.withResolvers<CallQuality | null>();
  /** Somebody was refused because of the engine, not of the call. */
  wasUnavailable = false;

  /** Returns why the call cannot have media now. */
  static open(options: BridgeOptions, user: BridgedMediaUser): BridgedMedia | MediaProblem {
    try {
      return new BridgedMedia(options, user);
    } catch (error) {
      const problem = mediaProblemOf(error);
      if (problem === null) throw error;
      options.endpoint.mediaRefusals.add(problem);
      return problem;
    }
  }

  private constructor(options: BridgeOptions, user: BridgedMediaUser) {
    this.#options = options;
    this.#user = user;
    this.calls = new CallMedia(options.endpoint, options.live.call.id, {
      silent: (leg) => this.#silent(leg),
      keyPress: (leg, key, durationMs) => user.keyPressed(leg, { key, durationMs }),
      died: (reason) => this.#died(reason),
      heard: (quality) => this.#heard(quality),
      refused: (problem) => this.#refused(problem),
      mayTranscode: () => this.#mayTranscode(),
    });
  }

  /** The caller's leg. Another one takes its place where the key presses of another trunk are other ones. */
  callerOf(plan: DialPlan): MediaLeg {
    const keyPresses = sentInRtp[plan.keyPresses ?? 'as sent'];
    if (this.#caller?.keyPresses === keyPresses) return this.#caller.leg;
    if (this.#caller !== null) this.calls.drop(this.#caller.leg);
    const settings = { ...this.#options.callerMedia, keyPresses };
    this.#caller = { leg: this.calls.leg('caller', settings, keyPresses !== 'passed'), keyPresses };
    return this.#caller.leg;
  }

  called(plan: DialPlan): MediaLeg {
    return this.calls.leg('called side', plan.media);
  }

  /** Both sides are expected to speak from now on. */
  answered(): void {
    this.#isAnswered = true;
    for (const leg of this.#early) void this.#watch(leg);
  }

  close(): void {
    this.#isOver = true;
    this.calls.close();
    this.#options.endpoint.transcoded.release(this.#options.live.call.id);
  }

  /** What was heard of both sides of an answered call, once it is closed; null if the engine does not tell soon. */
  heard(): Promise<CallQuality | null> {
    const { timers } = this.#options.endpoint;
    const timer = timers.after(mostWaitMs, () => this.#told.resolve(null), undefined);
    return this.#told.promise.finally(() => timer.close());
  }

  #refused(problem: MediaProblem): void {
    const { code, reason } = problem;
    this.#options.endpoint.mediaRefusals.add(problem);
    if (code === 503) this.wasUnavailable = true;
    this.#options.live.note(`media: ${reason}`);
  }

  #mayTranscode(): boolean {
    const { endpoint, live } = this.#options;
    const isAllowed = !this.#isOver && endpoint.transcoded.take(live.call.id, live.call.accountId);
    if (isAllowed) live.note('media: the two sides share no codec, so what they send is transcoded');
    return isAllowed;
  }

  #silent(leg: MediaLeg): void {
    if (!this.#isAnswered) return void this.#early.add(leg);
    const seconds = this.calls.settingsOf(leg)?.silenceSeconds ?? 0;
    this.#options.live.note(`the ${leg.name} has sent no media for ${seconds} s`);
    this.#user.end({ code: 408, reason: `No media for ${seconds} s`, initiator: 'switch' });
  }

  /** The engine tells of silence once. One that began before the answer counts if it goes on after it. */
  async #watch(leg: MediaLeg): Promise<void> {
    const heard = async () =>
      (await this.calls.quality()).legs.findLast(({ name }) => name === leg.name)?.heard.packets;
    const before = await heard();
    const seconds = this.calls.settingsOf(leg)?.silenceSeconds ?? 0;
    const check = async () => {
      if (!this.#isOver && (await heard()) === before && !this.#isOver) this.#silent(leg);
    };
    this.#options.endpoint.timers.after(seconds * 1000, () => void check(), undefined);
  }

  #died(reason: string): void {
    this.#options.live.note(`the media engine has failed: ${reason}`);
    this.#user.end({ code: 503, reason: 'The media engine has failed', initiator: 'switch' });
  }

  #heard(quality: CallQuality): void {
    const { live, endpoint } = this.#options;
    const joined = { legs: quality.legs.filter(({ heard }) => heard.packets > 0 || this.#isAnswered) };
    for (const words of mediaWords(joined)) live.note(words);
    const sources = sourceWords(joined);
    if (sources !== null) live.note(sources, { internal: true });
    const isTold = this.#isAnswered && joined.legs.length > 0;
    if (isTold) endpoint.sounds.count(live.call.direction, joined);
    this.#told.resolve(isTold ? joined : null);
  }
}
