/** How the audio of a code is put together. */
import { expect, it } from 'vitest';
import { decodeMuLaw } from './g711.ts';
import { speakCode } from './spoken-code.ts';
import { wavOf } from './wav.ts';

const silence = 0xff;
/** Clips of one byte value each, so that they are found again: 1 and 2 are the sentences, 10 to 19 the digits. */
const clips = {
  intro: Buffer.alloc(1000, 1),
  again: Buffer.alloc(1200, 2),
  digits: Array.from({ length: 10 }, (_, digit) => Buffer.alloc(500 + digit, 10 + digit)),
};

/** [byte, how often it repeats] … */
function runsOf(audio: Uint8Array): [number, number][] {
  const runs: [number, number][] = [];
  for (const byte of audio) {
    const last = runs.at(-1);
    if (last?.[0] === byte) last[1] += 1;
    else runs.push([byte, 1]);
  }
  return runs;
}

it('says the sentence and every digit, pauses, and says them again', () => {
  const runs = runsOf(speakCode(clips, '907').audio);
  const [tail] = runs.splice(-1);
  expect(runs).toEqual([
    [silence, 6400],
    [1, 1000],
    [silence, 2400],
    [19, 509],
    [silence, 2800],
    [10, 500],
    [silence, 2800],
    [17, 507],
    [silence, 12_000],
    [2, 1200],
    [silence, 2400],
    [19, 509],
    [silence, 2800],
    [10, 500],
    [silence, 2800],
    [17, 507],
  ]);
  expect(tail?.[0]).toBe(silence);
  expect(tail?.[1]).toBeGreaterThanOrEqual(4000);
  expect(tail?.[1]).toBeLessThan(4160);
});

it.each(['1', '0042', '123456', '99999999'])('consists of whole frames of 20 ms: %s', (code) => {
  expect(speakCode(clips, code).audio.length % 160).toBe(0);
});

it('keeps the pause between equal digits', () => {
  expect(runsOf(speakCode(clips, '00').audio).filter(([byte]) => byte === 10)).toHaveLength(4);
});

it.each(['12a4', '12 4', '१२', '-1'])('does not speak %j', (code) => {
  expect(() => speakCode(clips, code).audio).toThrow('a spoken code consists of digits');
});

it('becomes a WAV of 16-bit samples, 8 kHz, mono', () => {
  const audio = Uint8Array.of(0xff, 0x80, 0x00, 0xce);
  const wav = wavOf(audio);
  const header = `${text('RIFF')}2c000000${text('WAVEfmt ')}10000000 0100 0100 401f0000 803e0000 0200 1000${text('data')}08000000`;
  expect(wav.subarray(0, 44).toString('hex')).toBe(header.replaceAll(' ', ''));
  const samples = [0, 2, 4, 6].map((offset) => wav.readInt16LE(44 + offset));
  expect(samples).toEqual([0, 32_124, -32_124, 988]);
  expect(samples).toEqual([...decodeMuLaw(audio)]);
  expect(wav).toHaveLength(52);
});

function text(latin: string): string {
  return Buffer.from(latin, 'latin1').toString('hex');
}
