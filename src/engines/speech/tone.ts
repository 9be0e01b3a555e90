/** Tones: makes one to send, and finds out how loud audio is and whether it is one tone. */
import { encodeMuLaw, sampleRate } from './g711.ts';
import { frameSamples } from './rtp.ts';

/** About -10 dB of full scale: loud and clear, without distortion. */
const amplitude = 10_000;

/** Endless frames of µ-law. */
export function* toneFrames(hertz: number): Generator<Uint8Array, never> {
  for (let first = 0; ; first += frameSamples) {
    yield Uint8Array.from({ length: frameSamples }, (_, at) =>
      encodeMuLaw(Math.round(amplitude * Math.sin((2 * Math.PI * hertz * (first + at)) / sampleRate))),
    );
  }
}

/** Decibels of full scale, at most 0; `-Infinity` for digital silence. */
export function levelOf(samples: Int16Array): number {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);
  return 10 * Math.log10(power / (32_768 * 32_768));
}

/** A tenth of a second, so that frequencies are told apart in steps of 10 Hz. */
const windowSamples = sampleRate / 10;
const stepHertz = sampleRate / windowSamples;
const highestHertz = 3_400;
/**
 * Speech spreads over many frequencies; a tone has nearly all of its power in one, or in two steps next to each other.
 */
const powerOfTone = 0.7;
const quietest = -45;

/** The frequency of the tone, to 10 Hz; null where there is silence, speech or noise. */
export function toneOf(samples: Int16Array): number | null {
  if (samples.length < windowSamples || levelOf(samples) < quietest) return null;
  const window = samples.subarray(0, windowSamples);
  const total = window.reduce((sum, sample) => sum + sample * sample, 0);
  let strongest = { hertz: 0, power: 0 };
  let previous = 0;
  for (let hertz = stepHertz; hertz <= highestHertz; hertz += stepHertz) {
    const power = powerAt(window, hertz);
    // A tone between two steps is divided between them.
    if (power + previous > strongest.power)
      strongest = { hertz: power >= previous ? hertz : hertz - stepHertz, power: power + previous };
    previous = power;
  }
  return strongest.power > powerOfTone * total ? strongest.hertz : null;
}

/** Goertzel's algorithm: the power of one frequency, in the unit of a sum of squares. */
function powerAt(samples: Int16Array, hertz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hertz) / sampleRate);
  let [last, beforeLast] = [0, 0];
  for (const sample of samples) [last, beforeLast] = [sample + factor * last - beforeLast, last];
  return (2 * (last * last + beforeLast * beforeLast - factor * last * beforeLast)) / samples.length;
}
