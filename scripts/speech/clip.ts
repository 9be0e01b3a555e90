/** Turns a recording into a clip: telephone bandwidth, 8 kHz, no silence at its ends, one loudness for all clips. */
import { encodeMuLaw, sampleRate } from '../../src/engines/speech/g711.ts';
import type { Recording } from './espeak.ts';

/** The upper edge of a telephone line. Above half the sample rate, sound would come back as noise. */
const highestFrequency = 3400;
/** Samples on each side that the low-pass filter looks at, at the clip's rate. */
const filterReach = 24;
/** Root mean square that every clip is brought to, of 32,768: a usual level of speech on the telephone. */
const loudness = 3300;
const highestPeak = 30_000;
/** What is quieter than this part of the loudest sample is silence. */
const silentBelow = 0.02;
const margin = sampleRate * 0.015;
const fade = sampleRate * 0.005;

export function clipOf(recording: Recording): Uint8Array {
  return Uint8Array.from(leveled(trimmed(resampled(recording))), (sample) => encodeMuLaw(Math.round(sample)));
}

/** Windowed-sinc interpolation, which is the low-pass filter at the same time. */
export function resampled({ rate, samples }: Recording): Float64Array {
  const step = rate / sampleRate;
  const cutoff = (2 * highestFrequency) / rate;
  const reach = filterReach * step;
  return Float64Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    const at = index * step;
    let sum = 0;
    for (let near = Math.max(0, Math.ceil(at - reach)); near <= at + reach && near < samples.length; near += 1) {
      const distance = near - at;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach);
      sum += (samples[near] ?? 0) * cutoff * sinc(cutoff * distance) * window;
    }
    return sum;
  });
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function trimmed(samples: Float64Array): Float64Array {
  const threshold = peakOf(samples) * silentBelow;
  const isHeard = (sample: number) => Math.abs(sample) > threshold;
  const from = Math.max(0, samples.findIndex(isHeard) - margin);
  const cut = samples.slice(from, samples.findLastIndex(isHeard) + 1 + margin);
  return cut.map((sample, index) => sample * Math.min(1, index / fade, (cut.length - 1 - index) / fade));
}

function leveled(samples: Float64Array): Float64Array {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  const gain = Math.min(loudness / Math.sqrt(power), highestPeak / peakOf(samples));
  return samples.map((sample) => sample * gain);
}

function peakOf(samples: Float64Array): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
}
