/** The clips of all languages are complete and up to date. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { spokenTexts } from '../../../scripts/speech/spoken-texts.ts';
import { calloutTexts } from '../../interfaces/verification/languages.ts';
import { readClipIndex, readClips } from './clips.ts';
import { decodeMuLaw, sampleRate } from './g711.ts';

const { languages } = await readClipIndex();

it('was rendered from the texts of today; if not, run scripts/render-speech.ts', () => {
  const rendered = Object.entries(languages).map(([tag, { voice, texts }]) => [tag, { voice, texts }]);
  expect(rendered).toEqual([...spokenTexts()]);
});

it('has every language of calls but the one without a voice', async () => {
  expect(Object.keys(calloutTexts).filter((tag) => languages[tag] === undefined)).toEqual(['tl-PH']);
  expect(await readClips('tl-PH')).toBeNull();
  expect(await readClips('constructor')).toBeNull();
});

it('has no file that no language uses', async () => {
  const files = await readdir(path.join(import.meta.dirname, 'clips'));
  const used = new Set(Object.values(languages).map(({ file }) => file));
  expect(files.filter((file) => file !== 'index.json').sort()).toEqual([...used].sort());
});

it.each(Object.keys(languages))('%s is speech of one loudness', async (language) => {
  const clips = await readClips(language);
  if (clips === null) throw new Error('no clips');
  expect(new Set(clips.digits.map((digit) => Buffer.from(digit).toString('base64'))).size).toBe(10);
  for (const sentence of [clips.intro, clips.again]) expectSpeech(sentence, 0.7, 4);
  for (const digit of clips.digits) expectSpeech(digit, 0.15, 1.2);
});

function expectSpeech(clip: Uint8Array, atLeast: number, atMost: number): void {
  const seconds = clip.length / sampleRate;
  expect(seconds).toBeGreaterThan(atLeast);
  expect(seconds).toBeLessThan(atMost);
  const samples = decodeMuLaw(clip);
  const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  expect(loudness).toBeGreaterThan(2000);
  expect(loudness).toBeLessThan(3500);
}
