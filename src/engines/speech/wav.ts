/** WAV files: writes 16-bit samples, which every player reads; reads what a recorder makes of telephone audio. */
import { decodeALaw, decodeMuLaw, sampleRate } from './g711.ts';

const headerBytes = 44;
const sampleBytes = 2;
/** Values of the format tag. */
const formats = { linearPcm: 1, aLaw: 6, muLaw: 7 } as const;

export function wavOf(muLaw: Uint8Array): Buffer {
  return wavOfSamples(decodeMuLaw(muLaw));
}

export function wavOfSamples(samples: Int16Array): Buffer {
  const wav = Buffer.alloc(headerBytes + samples.length * sampleBytes);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(formats.linearPcm, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * sampleBytes, 28);
  wav.writeUInt16LE(sampleBytes, 32);
  wav.writeUInt16LE(sampleBytes * 8, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples.length * sampleBytes, 40);
  for (const [position, sample] of samples.entries()) {
    wav.writeInt16LE(sample, headerBytes + position * sampleBytes);
  }
  return wav;
}

/** Thrown with a sentence for whoever chose the file. */
export class WavError extends Error {}

/** One channel at 8 kHz, as 16-bit samples, µ-law or A-law. */
export function readWav(wav: Buffer): Int16Array {
  if (wav.length < 12 || wav.toString('latin1', 0, 4) !== 'RIFF' || wav.toString('latin1', 8, 12) !== 'WAVE') {
    throw new WavError('It is not a WAV file.');
  }
  const chunks = readChunks(wav);
  const format = chunks.get('fmt ');
  const data = chunks.get('data');
  if (format === undefined || format.length < 16 || data === undefined) throw new WavError('It is not a WAV file.');
  const [tag, channels, rate, bits] = [
    format.readUInt16LE(0),
    format.readUInt16LE(2),
    format.readUInt32LE(4),
    format.readUInt16LE(14),
  ];
  if (channels !== 1 || rate !== sampleRate)
    throw new WavError('A WAV file must have one channel and 8000 samples a second.');
  if (tag === formats.muLaw) return decodeMuLaw(data);
  if (tag === formats.aLaw) return decodeALaw(data);
  if (tag !== formats.linearPcm || bits !== 16)
    throw new WavError('A WAV file must have 16-bit samples, µ-law or A-law.');
  return Int16Array.from({ length: Math.floor(data.length / sampleBytes) }, (_, at) =>
    data.readInt16LE(at * sampleBytes),
  );
}

/** By name. A recorder that was killed leaves a last chunk that says it is longer than the file. */
function readChunks(wav: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = 12; at + 8 <= wav.length; ) {
    const length = wav.readUInt32LE(at + 4);
    chunks.set(wav.toString('latin1', at, at + 4), wav.subarray(at + 8, at + 8 + length));
    at += 8 + length + (length % 2);
  }
  return chunks;
}
