/** Parsing of an upload's multipart form: feeding the parser, and matching descriptions with files. */
import { once } from 'node:events';
import type { Busboy } from 'busboy';

export const FINGERPRINT = 'encrypted_files[encryption_fingerprint]';

/** A part of the form other than the fingerprint. */
export type FormPart = { kind: 'file' } | { kind: 'description'; text: string };

/** Returns the description of each file. Descriptions come either before or after their files; the first part shows which. */
export function describedFiles(parts: readonly FormPart[]): (string | null)[] {
  const descriptionsFirst = parts[0]?.kind === 'description';
  const pending: string[] = [];
  const files: (string | null)[] = [];
  for (const part of parts) {
    if (part.kind === 'file') files.push(pending.shift() ?? null);
    else if (descriptionsFirst) pending.push(part.text);
    else files[files.length - 1] = part.text;
  }
  return files.map((text) => (text === '' ? null : text));
}

/**
 * Feeds the body of a request to the parser until it ends. Throws if the form is broken or the body exceeds `maxBytes`. Unlike
 * a stream pipeline it reads on after the closing boundary or the error instead of closing the connection, so that the client
 * can read the response.
 */
export async function feedParser(parser: Busboy, source: AsyncIterable<Buffer>, maxBytes: number): Promise<void> {
  let hasEnded = false;
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('finish', resolve);
    parser.on('error', reject);
  }).finally(() => {
    hasEnded = true;
  });
  const settled = ended.catch(() => undefined);
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > maxBytes) throw new Error('the upload is too long');
    if (!hasEnded && !parser.write(chunk)) await Promise.race([once(parser, 'drain').catch(() => undefined), settled]);
  }
  if (!hasEnded) parser.end();
  await ended;
}
