/** Reads the raw bytes of a request: signatures cover them, so nothing may decode or parse them first. */
import type { IncomingMessage } from 'node:http';
import { decodeBody, isEncoded, UnreadableEncoding } from '../../base/encoded-body.ts';

/** A longer request is refused, but read up to `maxReadBytes`, because authentication comes before that error. */
const maxRequestBytes = 64 * 1024;
const maxReadBytes = 1024 * 1024;

export function isTooLong(body: Buffer): boolean {
  return body.length > maxRequestBytes;
}

/** Stops reading at `maxReadBytes`; a signature over a part of the body is wrong anyway. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  // Listeners instead of an async iterator: it costs a fifth, and leaving it would destroy the socket.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = () => {
      request.off('data', take).off('end', done).off('error', reject).off('close', cutOff);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const cutOff = () => reject(new Error('the request was cut off'));
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxReadBytes) return;
      request.pause();
      done();
    };
    request.on('data', take).on('end', done).on('error', reject).on('close', cutOff);
  });
}

/** Unpacked after authentication: a signature covers what was sent. Null for what cannot be read, or is too long. */
export async function plainBody(encoding: string | undefined, sent: Buffer): Promise<Buffer | null> {
  if (!isEncoded(encoding)) return sent;
  try {
    return await decodeBody(encoding, sent, maxRequestBytes);
  } catch (error) {
    if (error instanceof UnreadableEncoding) return null;
    throw error;
  }
}
