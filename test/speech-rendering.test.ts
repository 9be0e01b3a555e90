/** The script that renders the clips of spoken codes, with the real espeak-ng. */
import { describe, expect, it } from 'vitest';
import { clipOf, resampled } from '../scripts/speech/clip.ts';
import { openEspeak } from '../scripts/speech/espeak.ts';
import { spokenTexts } from '../scripts/speech/spoken-texts.ts';
import { readClipIndex } from '../src/engines/speech/clips.ts';

const rate = 22_050;
const toneOf = (frequency: number) => ({
  rate,
  samples: Int16Array.from({ length: rate }, (_, at) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * frequency * at) / rate)),
  ),
});

describe('the way to 8 kHz', () => {
  it.each([300, 1000, 3000])('keeps a tone of %i Hz', (frequency) => {
    const samples = resampled(toneOf(frequency));
    expect(samples).toHaveLength(8000);
    for (let at = 100; at < 7900; at += 1) {
      expect(samples[at]).toBeCloseTo(10_000 * Math.sin((2 * Math.PI * frequency * at) / 8000), -2.5);
    }
  });

  it.each([4200, 5000, 9000])('takes out a tone of %i Hz, which would come back as another', (frequency) => {
    expect(Math.max(...resampled(toneOf(frequency)).slice(100, 7900).map(Math.abs))).toBeLessThan(100);
  });
});

describe('espeak-ng', () => {
  const espeak = openEspeak();

  it('is not asked for a voice that it does not have', () => {
    expect(() => espeak.speak('tl', 'isa')).toThrow('espeak-ng has no voice tl');
  });

  it('renders the same bytes every time, as long as the committed clips', async () => {
    const { languages } = await readClipIndex();
    for (const tag of ['de-DE', 'he-IL', 'zh-CN']) {
      const { voice = '', texts = [] } = spokenTexts().get(tag) ?? {};
      const render = () => texts.map((text) => clipOf(espeak.speak(voice, text)));
      const clips = render();
      expect(render()).toEqual(clips);
      // Other versions speak a little faster or slower.
      for (const [position, { length }] of clips.entries()) {
        const committed = languages[tag]?.samples[position] ?? Number.NaN;
        expect(Math.abs(length / committed - 1), `${tag} ${texts[position]}`).toBeLessThan(0.25);
      }
    }
  });
});
