/** Two parties of a call through a media engine: each plays a tone, and tells which tone it hears. */

import type { LegSettings, MediaCall, MediaLeg } from '../../src/engines/media/media-engine.ts';
import { AudioLeg } from '../../src/engines/phone/audio-leg.ts';
import { sampleRate } from '../../src/engines/speech/g711.ts';
import { HeardAudio } from '../../src/engines/speech/heard-audio.ts';
import type { Codec } from '../../src/engines/speech/rtp.ts';
import { toneFrames, toneOf } from '../../src/engines/speech/tone.ts';

export const plainLeg: LegSettings = {
  encryption: 'disabled',
  allowedAddresses: null,
  latches: 'when private',
  ignoresRtcpSource: false,
  pings: false,
  silenceSeconds: null,
  keyPresses: 'passed',
  isBrowser: false,
  family: null,
  codecs: null,
};

export interface Party {
  readonly audio: AudioLeg;
  readonly keys: string[];
  /** Plays until the party leaves or plays something else. */
  play(hertz: number): void;
  mute(): void;
  /** Of the last tenth of a second. */
  hears(): number | null;
  readonly packets: number;
  leave(): Promise<void>;
}

export async function openParty(host = '127.0.0.1', codecs?: readonly Codec[]): Promise<Party> {
  const keys: string[] = [];
  let playing = new AbortController();
  const heard: HeardAudio = new HeardAudio(
    () => audio.eventType,
    (key) => keys.push(key),
  );
  const audio: AudioLeg = await AudioLeg.open({
    ...{ host, received: (packet) => heard.receive(packet) },
    ...(codecs && { codecs }),
  });
  return {
    audio,
    keys,
    play: (hertz) => {
      playing.abort();
      playing = new AbortController();
      void audio.play(toneFrames(hertz), playing.signal);
    },
    mute: () => playing.abort(),
    hears: () => toneOf(heard.samples.subarray(Math.max(0, heard.samples.length - sampleRate / 10))),
    get packets() {
      return heard.packets;
    },
    leave: async () => {
      playing.abort();
      await audio.close();
    },
  };
}

/** One party as the engine knows it. */
export interface Joined {
  readonly leg: MediaLeg;
  readonly party: Party;
}

/** `from` offers and `to` answers, both through the engine. Returns what each was sent. */
export async function agree(
  call: MediaCall,
  from: Joined,
  to: Joined,
  direction?: 'sendrecv' | 'sendonly' | 'inactive',
): Promise<{ offer: string; answer: string }> {
  const offer = await call.offer(from.leg, to.leg, from.party.audio.offer(direction).body);
  const answer = await call.answer(to.leg, from.leg, to.party.audio.answer(offer).body);
  from.party.audio.accept(answer);
  return { offer: String(offer), answer: String(answer) };
}
