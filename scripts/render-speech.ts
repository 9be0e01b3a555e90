/**
 * Renders the clips of spoken codes, src/engines/speech/clips: `node scripts/render-speech.ts`. Needs espeak-ng (a
 * Debian package). The clips are committed, so that running Trunkline needs no speech program; the output of one
 * version of espeak-ng is the same every time.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClipIndex } from '../src/engines/speech/clips.ts';
import { clipOf } from './speech/clip.ts';
import { openEspeak } from './speech/espeak.ts';
import { type SpokenTexts, spokenTexts } from './speech/spoken-texts.ts';

const espeak = openEspeak();
const folder = path.resolve(import.meta.dirname, '../src/engines/speech/clips');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);

const languages: ClipIndex['languages'] = {};
const rendered = new Map<string, string>();
let bytes = 0;
for (const [tag, spoken] of spokenTexts()) languages[tag] = languages[sameSpeech(tag, spoken)] ?? render(tag, spoken);

const lines = Object.entries(languages).map(([tag, entry]) => `${JSON.stringify(tag)}: ${JSON.stringify(entry)}`);
writeFileSync(
  path.join(folder, 'index.json'),
  `{"renderedBy": "espeak-ng ${espeak.version}", "languages": {\n${lines.join(',\n')}\n}}\n`,
);
process.stdout.write(`${lines.length} languages in ${rendered.size} files, ${bytes} bytes\n`);

/** The first language with the same voice and texts; they share a file. */
function sameSpeech(tag: string, spoken: SpokenTexts): string {
  const key = JSON.stringify(spoken);
  const first = rendered.get(key) ?? tag;
  rendered.set(key, first);
  return first;
}

function render(tag: string, { voice, texts }: SpokenTexts): ClipIndex['languages'][string] {
  const clips = texts.map((text) => clipOf(espeak.speak(voice, text)));
  const file = `${tag}.ulaw`;
  const audio = Buffer.concat(clips);
  writeFileSync(path.join(folder, file), audio);
  bytes += audio.length;
  return { file, voice, texts, samples: clips.map(({ length }) => length) };
}
