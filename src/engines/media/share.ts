/** A part of a media engine that others use too: it carries a bounded number of calls at a time. */
import {
  type MediaCall,
  type MediaEngine,
  type MediaEngineState,
  MediaUnavailable,
  type MediaUser,
} from './media-engine.ts';

export class MediaShare implements MediaEngine {
  readonly name: MediaEngine['name'];
  readonly #engine: MediaEngine;
  readonly #most: number;
  #calls = 0;

  constructor(engine: MediaEngine, most: number) {
    this.name = engine.name;
    this.#engine = engine;
    this.#most = most;
  }

  open(callId: string, user: MediaUser): MediaCall {
    if (this.#calls >= this.#most)
      throw new MediaUnavailable(`As many calls have media as may have them here: ${this.#most}.`);
    const call = this.#engine.open(callId, user);
    this.#calls += 1;
    let isOpen = true;
    const close = () => {
      if (isOpen) this.#calls -= 1;
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

  /** The calls are its own, all else is the engine's. */
  state(): MediaEngineState {
    return { ...this.#engine.state(), calls: this.#calls };
  }

  /** Nothing to do: the engine is the others' too. */
  async stop(): Promise<void> {}
}
