/** µ-law audio as a WAV file of 16-bit samples, which every player reads. */
import { decodeMuLaw, sampleRate } from './g711.ts';

const headerBytes = 44;
const sampleBytes = 2;
const linearPcm = 1;

export function wavOf(muLaw: Uint8Array): Buffer {
  const wav = Buffer.alloc(headerBytes + muLaw.length * sampleBytes);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(linearPcm, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * sampleBytes, 28);
  wav.writeUInt16LE(sampleBytes, 32);
  wav.writeUInt16LE(sampleBytes * 8, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(muLaw.length * sampleBytes, 40);
  for (const [position, sample] of decodeMuLaw(muLaw).entries()) {
    wav.writeInt16LE(sample, headerBytes + position * sampleBytes);
  }
  return wav;
}
