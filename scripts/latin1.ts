/** Texts of programs as V8 stores them at one byte for each character. */
import type { Plugin } from 'vite';

/** One letter outside Latin-1 doubles the memory of a whole file, so such letters are written as escapes. */
export const inLatin1: Plugin = {
  name: 'in-latin-1',
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = escaped(file.fileName, file.code);
  },
};

/** Without comments they are in texts and patterns only, where an escape means the same; unless escapes are taken as they are. */
function escaped(name: string, code: string): string {
  if (/\braw`[^`]*[^\0-\xff]/.test(code)) throw new Error(`${name} has letters in a raw text`);
  return code.replaceAll(/[^\0-\xff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
