/** Runs espeak-ng, a separate program that is needed to render clips and never to run Trunkline. */
import { execFileSync } from 'node:child_process';

export interface Recording {
  readonly rate: number;
  readonly samples: Int16Array;
}

interface Espeak {
  readonly version: string;
  /** Text in double square brackets is read as phonemes of the voice. */
  speak(voice: string, text: string): Recording;
}

const wordsPerMinute = 140;

export function openEspeak(): Espeak {
  const [version = ''] = /\d+(\.\d+)+/.exec(runEspeak(['--version']).toString()) ?? [];
  const [, ...voiceLines] = runEspeak(['--voices']).toString().split('\n');
  const voices = new Set(voiceLines.map((line) => line.trim().split(/\s+/)[1]));
  return {
    version,
    speak: (voice, text) => {
      // Some versions speak with another voice instead of reporting that this one is unknown.
      if (!voices.has(voice)) throw new Error(`espeak-ng has no voice ${voice}`);
      const utf8 = ['-b', '1'];
      return readWav(runEspeak(['-v', voice, '-s', String(wordsPerMinute), ...utf8, '-z', '--stdout', '--', text]));
    },
  };
}

function runEspeak(args: readonly string[]): Buffer {
  return execFileSync('espeak-ng', args, { maxBuffer: 16 * 1024 * 1024 });
}

/**
 * Reads a WAV of 16-bit mono. Written to a pipe, its header does not know the length: the samples end with the file.
 */
function readWav(wav: Buffer): Recording {
  const format = wav.indexOf('fmt ');
  const data = wav.indexOf('data', format) + 8;
  const channels = wav.readUInt16LE(format + 10);
  const bits = wav.readUInt16LE(format + 22);
  if (channels !== 1 || bits !== 16) throw new Error(`espeak-ng wrote ${channels} channels of ${bits} bits`);
  const count = Math.floor((wav.length - data) / 2);
  const samples = Int16Array.from({ length: count }, (_, index) => wav.readInt16LE(data + index * 2));
  return { rate: wav.readUInt32LE(format + 12), samples };
}
