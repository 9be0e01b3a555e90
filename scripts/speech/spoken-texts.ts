/**
 * What the voice of each language says: the sentences of `calloutTexts`, and the digits as people read out a code.
 * Numerals are left to the voice where it reads them so; the others are written here.
 */
import { calloutTexts } from '../../src/interfaces/verification/languages.ts';

export interface SpokenTexts {
  readonly voice: string;
  /** The introduction, the words before the repetition, and the digits 0 to 9. */
  readonly texts: readonly string[];
}

interface Speaker {
  readonly voice: string;
  /** Sentences and digits written for this voice, where it misreads the ordinary spelling. */
  readonly intro?: string;
  readonly again?: string;
  readonly digits?: Readonly<Record<number, string>>;
}

const by = (voice: string, written: Omit<Speaker, 'voice'> = {}): Speaker => ({ voice, ...written });

const words = (text: string) => ({ ...text.split(' ') });
const phonemes = (text: string) => ({ ...text.split(' ').map((word) => `[[${word}]]`) });

/** Without vowel signs `bika` (of yours) is read `bak`. */
const arabic = by('ar', { intro: 'رمز التحقق الخاص بِكَ هو' });

/** Tagalog (tl-PH) is missing: espeak-ng has no voice for it. */
const speakers: Readonly<Record<string, Speaker>> = {
  'af-ZA': by('af'),
  'ar-AE': arabic,
  'ar-EG': arabic,
  'ar-SA': arabic,
  'bg-BG': by('bg'),
  'bs-BA': by('bs'),
  'cs-CZ': by('cs', { digits: { 1: 'jedna' } }),
  'da-DK': by('da'),
  'de-DE': by('de'),
  'el-GR': by('el'),
  'en-GB': by('en-gb'),
  'en-US': by('en-us'),
  'es-419': by('es-419'),
  'es-ES': by('es'),
  'et-EE': by('et'),
  'fi-FI': by('fi'),
  // The numerals are read as before a noun, without their last consonant.
  'fr-FR': by('fr-fr', { digits: { 6: 'six', 8: 'huit' } }),
  // Ordinary spelling has no vowels, and the voice does not know them.
  'he-IL': by('he', {
    intro: "[[k'od haim'ut SelX'a h'u]]",
    again: "[[S'uv _: hak'od h'u]]",
    digits: phonemes(`'efes aX'at St'ajim Sal'oS aQ"b'a Xam'eS S'eS S'eva Sm'one t'eSa`),
  }),
  'hi-IN': by('hi'),
  'hr-HR': by('hr'),
  'hu-HU': by('hu'),
  'id-ID': by('id'),
  'is-IS': by('is'),
  'it-IT': by('it'),
  // The voice reads kana only.
  'ja-JP': by('ja', {
    intro: 'にんしょうコードを おしらせします。',
    again: 'くりかえします。',
    digits: words('ゼロ いち に さん よん ご ろく なな はち きゅう'),
  }),
  'lt-LT': by('lt'),
  'lv-LV': by('lv'),
  'mk-MK': by('mk'),
  'ms-MY': by('ms'),
  'nb-NO': by('nb'),
  'nl-NL': by('nl', { digits: { 6: 'zes' } }),
  'pl-PL': by('pl'),
  // "Meia" (half a dozen), since "seis" is mistaken for "três" on the telephone.
  'pt-BR': by('pt-br', { digits: { 6: 'meia' } }),
  'pt-PT': by('pt'),
  'ro-RO': by('ro'),
  'sk-SK': by('sk'),
  'sl-SI': by('sl'),
  'sr-RS': by('sr'),
  'sv-SE': by('sv'),
  'sw-KE': by('sw'),
  // The voice spells words letter by letter. Tones: 1 rising, 2 low, 3 mid, 4 high, 5 falling.
  'th-TH': by('th', {
    intro: "[[ra4h'a2t j'ue:3n ja3n kh'o1ng khu3n kh'ue:3]]",
    again: "[['i:2k khr'a4ng _: ra4h'a2t kh'o1ng khu3n kh'ue:3]]",
    digits: phonemes("s'u:1n n'ue2ng s'o1ng s'a:1m s'i:2 h'a:5 h'o2k ch'e2t p'ae2t k'a5o"),
  }),
  'tr-CY': by('tr'),
  'tr-TR': by('tr'),
  'uk-UA': by('uk'),
  'ur-PK': by('ur'),
  'vi-VN': by('vi'),
  // The voice has no pronunciation of the characters. A one in a number is read "yāo".
  'zh-CN': by('cmn-latn-pinyin', {
    intro: 'nin2 de5 yan4 zheng4 ma3 shi4',
    again: 'zai4 shuo1 yi2 bian4, nin2 de5 yan4 zheng4 ma3 shi4',
    digits: words('ling2 yao1 er4 san1 si4 wu3 liu4 qi1 ba1 jiu3'),
  }),
  'zh-HK': by('yue'),
};

/** Tag → what is spoken, for every language of calls that has a voice. */
export function spokenTexts(): Map<string, SpokenTexts> {
  return new Map(
    Object.entries(calloutTexts).flatMap(([tag, text]) => {
      const speaker = speakers[tag];
      if (speaker === undefined) return [];
      const digits = Array.from({ length: 10 }, (_, digit) => speaker.digits?.[digit] ?? String(digit));
      return [
        [tag, { voice: speaker.voice, texts: [speaker.intro ?? text.intro, speaker.again ?? text.again, ...digits] }],
      ];
    }),
  );
}
