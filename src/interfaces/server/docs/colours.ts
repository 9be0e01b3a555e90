/**
 * Colours of code, by hand: comments, texts, numbers and words are all that our examples need, and the types of
 * highlight.js bring the browser's names into every file of the server.
 */
import { type Html, html, made } from './html.ts';

/** What people call a language, what begins a comment in it, and its words. */
interface Language {
  name: string;
  comment: string | null;
  words: readonly string[];
}

const words = (text: string): string[] => text.split(' ');
const shell: Language = {
  name: 'Shell',
  comment: '#',
  words: words('if then else fi for while until do done case esac local export curl'),
};
const languages: Readonly<Record<string, Language>> = {
  sh: shell,
  bash: shell,
  js: {
    name: 'JavaScript',
    comment: '//',
    words: words(
      'import export from const let function return if else for of while new async await class extends throw try catch',
    ),
  },
  java: {
    name: 'Java',
    comment: '//',
    words: words('import class static final new return throws if else for int String boolean var try catch'),
  },
  perl: { name: 'Perl', comment: '#', words: words('use my sub return if unless foreach while') },
  python: {
    name: 'Python',
    comment: '#',
    words: words('import from def return if else for in while class with as not and or None True False'),
  },
  json: { name: 'JSON', comment: null, words: words('true false null') },
  http: { name: 'HTTP', comment: null, words: words('GET POST PUT PATCH DELETE') },
  html: { name: 'HTML', comment: null, words: [] },
};

export const languageName = (language: string): string => languages[language]?.name ?? '';

export function coloured(code: string, language: string): Html {
  const known = languages[language];
  if (known === undefined) return html`${code}`;
  const comment = known.comment === null ? '(?!)' : `(?:(?<=^|\\s)${known.comment}.*)`;
  const parts = new RegExp(
    `(?<comment>${comment})|(?<text>"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\])*')|` +
      `(?<number>\\b\\d+(?:\\.\\d+)?\\b)|(?<word>\\b(?:${known.words.join('|') || '(?!)'})\\b)`,
    'gm',
  );
  const pieces: Html[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(parts)) {
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined) ?? [];
    pieces.push(html`${code.slice(end, index)}<span class="${kind ?? ''}">${text}</span>`);
    end = index + text.length;
  }
  return made(pieces.map((piece) => piece.text).join('') + html`${code.slice(end)}`.text);
}
