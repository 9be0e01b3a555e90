/** Gives a form's bytes to its parser. Unlike a pipeline it does not cut the connection when the form turns out broken. */
import { once } from 'node:events';
import type { Busboy } from 'busboy';

/**
 * Ends when the form has ended; throws when it is broken, or longer than anybody sends by mistake. What follows the
 * closing boundary or the damage is read and forgotten, so that the client gets to read the answer.
 */
export async function feedParser(parser: Busboy, source: AsyncIterable<Buffer>, mostBytes: number): Promise<void> {
  let isOver = false;
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('finish', resolve);
    parser.on('error', reject);
  }).finally(() => {
    isOver = true;
  });
  const settled = ended.catch(() => undefined);
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > mostBytes) throw new Error('the upload goes on and on');
    if (!isOver && !parser.write(chunk)) await Promise.race([once(parser, 'drain').catch(() => undefined), settled]);
  }
  if (!isOver) parser.end();
  await ended;
}
