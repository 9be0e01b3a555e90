/** The clips of spoken codes: one µ-law file per language, rendered by scripts/render-speech.ts. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export interface Clips {
  readonly intro: Uint8Array;
  /** Spoken before the code is repeated. */
  readonly again: Uint8Array;
  /** By their value, 0 to 9. */
  readonly digits: readonly Uint8Array[];
}

/** index.json beside the files. */
export interface ClipIndex {
  renderedBy: string;
  languages: Record<string, ClipIndexEntry>;
}

interface ClipIndexEntry {
  file: string;
  voice: string;
  /** What was spoken: the introduction, the words before the repetition, the digits 0 to 9. */
  texts: readonly string[];
  /** The lengths of those clips, which follow one another in the file. */
  samples: readonly number[];
}

const folder = path.join(import.meta.dirname, 'clips');

export async function readClipIndex(): Promise<ClipIndex> {
  return JSON.parse(await readFile(path.join(folder, 'index.json'), 'utf8'));
}

/** Null for a language without clips. */
export async function readClips(language: string): Promise<Clips | null> {
  const { languages } = await readClipIndex();
  const entry = Object.hasOwn(languages, language) ? languages[language] : undefined;
  if (entry === undefined) return null;
  const audio = await readFile(path.join(folder, entry.file));
  let end = 0;
  const [intro, again, ...digits] = entry.samples.map((length) => {
    end += length;
    return audio.subarray(end - length, end);
  });
  if (intro === undefined || again === undefined || digits.length !== 10 || end !== audio.length)
    throw new Error(`the clips of ${language} do not fit their index`);
  return { intro, again, digits };
}
