/** A party of a call that rtpengine carries: what it described last, and when it was last heard. */
import type { LegSettings, MediaLeg } from '../media-engine.ts';
import { type Described, Origin } from './description.ts';

export class RtpengineLeg implements MediaLeg {
  readonly name: string;
  readonly settings: LegSettings;
  /** How rtpengine knows it. */
  readonly tag: string;
  readonly origin: Origin;
  /** Its last description; null until it has sent one. */
  described: Described | null = null;
  /** Of its audio, by the last answer. */
  codec: string | null = null;
  readonly #play: (leg: RtpengineLeg, key: string, durationMs: number) => boolean;
  #packets = 0;
  /** Since when nothing has come although it should send; null while it need not. */
  #silentSince: number | null = null;
  #wasSilent = false;

  constructor(
    name: string,
    settings: LegSettings,
    tag: string,
    play: (leg: RtpengineLeg, key: string, durationMs: number) => boolean,
  ) {
    this.name = name;
    this.settings = settings;
    this.tag = tag;
    this.origin = new Origin(String(Number.parseInt(tag.slice(0, 10), 16)));
    this.#play = play;
  }

  press(key: string, durationMs: number): boolean {
    return this.described?.takesTelephoneEvents === true && this.#play(this, key, durationMs);
  }

  /**
   * Notes how many packets have come from it until now. Returns true once, when it has been silent for too long
   * although it should send.
   */
  countedAt(ms: number, packets: number, shouldSend: boolean): boolean {
    const isHeard = packets !== this.#packets;
    this.#packets = packets;
    const { silenceSeconds } = this.settings;
    if (silenceSeconds === null || this.#wasSilent) return false;
    if (isHeard || !shouldSend) {
      this.#silentSince = null;
      return false;
    }
    this.#silentSince ??= ms;
    if (ms - this.#silentSince < silenceSeconds * 1000) return false;
    this.#wasSilent = true;
    return true;
  }
}
