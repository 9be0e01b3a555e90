/** What a call says, as audio. */
import { readClips } from '../../engines/speech/clips.ts';
import { type SpokenCode, speakCode } from '../../engines/speech/spoken-code.ts';
import { defaultLanguage } from './languages.ts';

/** µ-law. A language without a voice is spoken in the default language, the digits as well as the sentences. */
export async function calloutAudio(language: string, code: string): Promise<SpokenCode> {
  const clips = (await readClips(language)) ?? (await readClips(defaultLanguage));
  if (clips === null) throw new Error(`there are no clips of ${defaultLanguage}`);
  return speakCode(clips, code);
}
