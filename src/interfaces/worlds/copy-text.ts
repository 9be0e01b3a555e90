/**
 * Rows in the text form of PostgreSQL's COPY: fields between tabs, `\N` for null, control characters behind a
 * backslash.
 */

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const letters = new Map(Object.entries(escapes).map(([letter, character]) => [character, letter]));

export function fieldsOf(line: string): (string | null)[] {
  return line
    .split('\t')
    .map((field) =>
      field === '\\N' ? null : field.replace(/\\(.)/gs, (_, character) => escapes[character] ?? character),
    );
}

export function lineOf(fields: readonly (string | null)[]): string {
  const written = fields.map((field) =>
    field === null
      ? '\\N'
      : field.replace(/[\\\b\f\n\r\t\v]/g, (character) => `\\${letters.get(character) ?? character}`),
  );
  return `${written.join('\t')}\n`;
}
