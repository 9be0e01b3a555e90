/** A part of a media engine that others use too: it carries a bounded number of calls at a time. */
import {
  type MediaCall,
  type MediaEngine,
  type MediaEngineState,
  MediaUnavailable,
  type MediaUser,
  type Transcoding,
} from './media-engine.ts';

export class MediaShare implements MediaEngine {
  readonly name: MediaEngine['name'];
  readonly transcoding: Transcoding | null;
  readonly #engine: MediaEngine;
  readonly #most: number;
  #calls = 0;
  #transcoded = 0;

  /** `transcoded`: how many of the calls may be transcoded. */
  constructor(engine: MediaEngine, most: number, transcoded = 0) {
    this.name = engine.name;
    this.transcoding = transcoded > 0 && engine.transcoding ? { ...engine.transcoding, most: transcoded } : null;
    this.#engine = engine;
    this.#most = most;
  }

  open(callId: string, user: MediaUser): MediaCall {
    if (this.#calls >= this.#most)
      throw new MediaUnavailable(`As many calls have media as may have them here: ${this.#most}.`);
    let [isOpen, isTranscoded] = [true, false];
    const mayTranscode = () => {
      if (isTranscoded) return true;
      if (this.#transcoded >= (this.transcoding?.most ?? 0) || user.mayTranscode?.() !== true) return false;
      this.#transcoded += 1;
      isTranscoded = true;
      return true;
    };
    const call = this.#engine.open(callId, sharedUser(user, mayTranscode));
    this.#calls += 1;
    const close = () => {
      if (isOpen) this.#calls -= 1;
      if (isOpen && isTranscoded) this.#transcoded -= 1;
      isOpen = false;
      return call.close();
    };
    return {
      leg: (name, settings) => call.leg(name, settings),
      offer: (from, to, sdp) => call.offer(from, to, sdp),
      answer: (from, to, sdp) => call.answer(from, to, sdp),
      refused: (from, to) => call.refused(from, to),
      drop: (leg) => call.drop(leg),
      quality: () => call.quality(),
      close,
    };
  }

  forget(callIds: readonly string[]): void {
    this.#engine.forget?.(callIds);
  }

  /** The calls are its own, all else is the engine's. */
  state(): MediaEngineState {
    return { ...this.#engine.state(), calls: this.#calls };
  }

  /** Nothing to do: the engine is the others' too. */
  async stop(): Promise<void> {}
}

const sharedUser = (user: MediaUser, mayTranscode: () => boolean): MediaUser => ({
  silent: (leg) => user.silent(leg),
  keyPress: (leg, key, durationMs) => user.keyPress(leg, key, durationMs),
  died: (reason) => user.died(reason),
  mayTranscode,
});
