/** A reading request as the call of a program, in the languages that most clients are written in. */
import { curl } from './curl.ts';

export const languages = { curl: 'curl', javascript: 'JavaScript', python: 'Python' } as const;

export type Language = keyof typeof languages;

/** JSON strings are strings of both languages. */
const quoted = (text: string): string => JSON.stringify(text);

export function readingProgram(language: Language, origin: string, path: string): string {
  const url = quoted(`${origin}${path}`);
  switch (language) {
    case 'curl':
      return curl(origin, 'GET', path);
    case 'javascript':
      return `const response = await fetch(${url}, {\n  headers: { "api-key": "YOUR_KEY" },\n});\nconst document = await response.json();`;
    case 'python':
      return `import requests\n\nresponse = requests.get(\n    ${url},\n    headers={"api-key": "YOUR_KEY"},\n)\ndocument = response.json()`;
  }
}
