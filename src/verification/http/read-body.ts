/** The bytes of a request as they came: signatures are over them, so nothing may decode or parse them first. */
import type { IncomingMessage } from 'node:http';

/** No request of this service is longer; it is read on a little, since who sends a longer one has to be known first. */
const LONGEST_REQUEST = 64 * 1024;
const LONGEST_READ = 1024 * 1024;

export function isTooLong(body: Buffer): boolean {
  return body.length > LONGEST_REQUEST;
}

/** What is longer than anybody should send is cut, and the rest left unread: no signature is right over a part. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not destroy the socket: the answer still has to go out on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    chunks.push(bytes);
    if (size > LONGEST_READ) break;
  }
  return Buffer.concat(chunks);
}
