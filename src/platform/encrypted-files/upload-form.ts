/** The parts of an upload other than its files, and which description belongs to which file. */

export const FINGERPRINT = 'encrypted_files[encryption_fingerprint]';

/** A part of a form other than the fingerprint, in the order of arrival. */
export type FormPart = { kind: 'file' } | { kind: 'description'; text: string };

/** The description of each file: they stand all before their files or all after them, as the first one does. */
export function describedFiles(parts: readonly FormPart[]): (string | null)[] {
  const isBefore = parts[0]?.kind === 'description';
  const waiting: string[] = [];
  const files: (string | null)[] = [];
  for (const part of parts) {
    if (part.kind === 'file') files.push(waiting.shift() ?? null);
    else if (isBefore) waiting.push(part.text);
    else files[files.length - 1] = part.text;
  }
  return files.map((text) => (text === '' ? null : text));
}
