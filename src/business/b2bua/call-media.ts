/**
 * The media of one call: descriptions on their way from one party to another pass through the media engine, in the
 * order in which they come. What cannot be carried has a SIP code and a reason.
 */
import {
  type CallQuality,
  type LegSettings,
  type MediaCall,
  type MediaLeg,
  MediaRefused,
  MediaUnavailable,
  type MediaUser,
} from '../../engines/media/media-engine.ts';
import { DirectMedia } from './direct-media.ts';
import type { SipEndpoint } from './endpoint.ts';
import type { HeaderLine } from './headers.ts';
import type { MediaProblem } from './media-refusals.ts';
import { withTelephoneEvents } from './sdp.ts';

/** After 503: another engine, or a port, may be there. */
const retrySeconds = 5;

interface CallMediaUser extends MediaUser {
  /** Called once, when the media have ended, with what was heard of them. */
  heard(quality: CallQuality): void;
  /** A description could not be carried. */
  refused(problem: MediaProblem): void;
}

export class CallMedia {
  readonly #call: MediaCall;
  readonly #user: CallMediaUser;
  readonly #settings = new Map<MediaLeg, LegSettings>();
  /** In the order in which they were made, as the engine tells of them. */
  readonly #legs: MediaLeg[] = [];
  readonly #dropped = new Set<MediaLeg>();
  readonly #withEvents = new Set<MediaLeg>();
  /** What each party has described last. */
  readonly #described = new Map<MediaLeg, Buffer>();
  /** Whether the engine takes key presses out of RTP and tells of them; another one passes them on only. */
  readonly #takesKeyPresses: boolean;
  #isClosed = false;

  /** Throws `MediaUnavailable` if there is no engine now. */
  constructor({ media }: SipEndpoint, callId: string, user: CallMediaUser) {
    this.#call = media === null ? new DirectMedia() : media.open(callId, user);
    this.#user = user;
    this.#takesKeyPresses = media?.name === 'embedded';
  }

  /** `hasEvents`: it is told that its key presses are taken in RTP, also where the other side takes none so. */
  leg(name: string, settings: LegSettings, hasEvents = false): MediaLeg {
    const leg = this.#call.leg(name, settings);
    this.#legs.push(leg);
    this.#settings.set(leg, settings);
    if (hasEvents && this.#takesKeyPresses) this.#withEvents.add(leg);
    return leg;
  }

  settingsOf(leg: MediaLeg): LegSettings | undefined {
    return this.#settings.get(leg);
  }

  /** What `from` offers, as `to` gets it. */
  offer(from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer | MediaProblem> {
    this.#described.set(from, sdp);
    return this.#carried(this.#call.offer(from, to, this.#withEvents.has(to) ? withTelephoneEvents(sdp, null) : sdp));
  }

  /** What `from` answers to the last offer of `to`, as `to` gets it. */
  answer(from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer | MediaProblem> {
    this.#described.set(from, sdp);
    const offer = this.#withEvents.has(to) ? this.#described.get(to) : undefined;
    return this.#carried(this.#call.answer(from, to, offer ? withTelephoneEvents(sdp, offer) : sdp));
  }

  /** The descriptions before stay in force. */
  refused(from: MediaLeg, to: MediaLeg): void {
    if (!this.#isClosed) this.#call.refused(from, to);
  }

  drop(leg: MediaLeg): void {
    this.#dropped.add(leg);
    if (!this.#isClosed) this.#call.drop(leg);
  }

  quality(): Promise<CallQuality> {
    return this.#call.quality();
  }

  async #carried(description: Promise<Buffer>): Promise<Buffer | MediaProblem> {
    try {
      return await description;
    } catch (error) {
      const problem = mediaProblemOf(error);
      if (problem === null) throw error;
      this.#user.refused(problem);
      return problem;
    }
  }

  /** All ports are free again. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#call.close().then(({ legs }) => {
      // Phones that rang without answering sent nothing, and nobody expected them to.
      const isTold = (at: number, packets: number) => packets > 0 || !this.#dropped.has(this.#legs[at] as MediaLeg);
      this.#user.heard({ legs: legs.filter(({ heard }, at) => isTold(at, heard.packets)) });
    });
  }
}

export function mediaProblemOf(error: unknown): MediaProblem | null {
  if (error instanceof MediaRefused) return { code: 488, reason: error.message };
  return error instanceof MediaUnavailable ? { code: 503, reason: error.message } : null;
}

export const isProblem = (carried: Buffer | MediaProblem | undefined): carried is MediaProblem =>
  carried !== undefined && !Buffer.isBuffer(carried);

/** For a caller that is refused with 503 although nothing is wrong with the call itself. */
export const retryHeader: HeaderLine = ['Retry-After', String(retrySeconds)];
