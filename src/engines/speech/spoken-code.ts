/** The audio of a spoken code: the sentence, the digits one by one, and both again. µ-law, in whole RTP frames. */
import type { Clips } from './clips.ts';
import { muLawSilence, sampleRate } from './g711.ts';
import { frameSamples } from './rtp.ts';

/** Seconds of silence. */
export const pauses = {
  /** While the telephone is moved from the table to the ear. */
  beforeFirstWord: 0.8,
  beforeDigits: 0.3,
  betweenDigits: 0.35,
  /** Long enough to write the code down. */
  beforeRepetition: 1.5,
  /** A player that drops its last frames must not drop the last digit. */
  afterLastDigit: 0.5,
};

export interface SpokenCode {
  readonly audio: Uint8Array;
  /** Samples until the last digit has been said for the first time. */
  readonly firstReading: number;
}

export function speakCode(clips: Clips, code: string): SpokenCode {
  const digits = [...code].flatMap((digit, position) => {
    const clip = /^[0-9]$/.test(digit) ? clips.digits[Number(digit)] : undefined;
    if (clip === undefined) throw new TypeError('a spoken code consists of digits');
    return [silence(position === 0 ? pauses.beforeDigits : pauses.betweenDigits), clip];
  });
  const first = Buffer.concat([silence(pauses.beforeFirstWord), clips.intro, ...digits]);
  const audio = Buffer.concat([
    first,
    silence(pauses.beforeRepetition),
    clips.again,
    ...digits,
    silence(pauses.afterLastDigit),
  ]);
  const wholeFrames = Math.ceil(audio.length / frameSamples) * frameSamples;
  const rest = Buffer.alloc(wholeFrames - audio.length, muLawSilence);
  return { audio: Buffer.concat([audio, rest]), firstReading: first.length };
}

function silence(seconds: number): Uint8Array {
  return Buffer.alloc(seconds * sampleRate, muLawSilence);
}
