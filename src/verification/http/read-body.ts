/** The bytes of a request as they came: signatures are over them, so nothing may decode or parse them first. */
import type { IncomingMessage } from 'node:http';

const LONGEST_BODY = 64 * 1024;

/** Null when it is longer than any request of this service; the rest is then left unread. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not destroy the socket: the answer still has to go out on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > LONGEST_BODY) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
