/**
 * G.711, the codecs of telephony: 16-bit samples to and from µ-law, and from µ-law to A-law. By hand: a table each way,
 * where ffmpeg is another process.
 */

/** Samples a second, one byte each in both codecs. */
export const sampleRate = 8000;

/** The byte of silence. */
export const muLawSilence = 0xff;

/** Added to a magnitude, so that every segment starts at a power of two. */
const bias = 0x84;
const largestMagnitude = 0x7fff - bias;

export function encodeMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), largestMagnitude) + bias;
  const segment = 24 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 3)) & 0x0f;
  return ~(sign | (segment << 4) | step) & 0xff;
}

const muLawSamples = Int16Array.from({ length: 256 }, (_, byte) => {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + bias) << ((bits >> 4) & 0x07)) - bias;
  return bits & 0x80 ? -magnitude : magnitude;
});

export function decodeMuLaw(bytes: Uint8Array): Int16Array {
  return Int16Array.from(bytes, (byte) => muLawSamples[byte] ?? 0);
}

const aLawSamples = Int16Array.from({ length: 256 }, (_, byte) => {
  const bits = byte ^ 0x55;
  const segment = (bits >> 4) & 0x07;
  const step = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
});

export function decodeALaw(bytes: Uint8Array): Int16Array {
  return Int16Array.from(bytes, (byte) => aLawSamples[byte] ?? 0);
}

/** µ-law byte → the A-law byte of the same sign whose sample is nearest; of two as near, the louder one. */
const aLawOfMuLaw = Uint8Array.from({ length: 256 }, (_, byte) => {
  const sample = muLawSamples[byte] ?? 0;
  const sameSign = Array.from({ length: 128 }, (_, loudness) => ((byte & 0x80) | loudness) ^ 0x55);
  const distance = (candidate: number) => Math.abs((aLawSamples[candidate] ?? 0) - sample);
  return sameSign.reduce((nearest, candidate) => (distance(candidate) <= distance(nearest) ? candidate : nearest));
});

export function muLawToALaw(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => aLawOfMuLaw[byte] ?? 0);
}
