/** Request bodies that were compressed on the way: `Content-Encoding: gzip`. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzip = promisify(gunzip);

/** Why a body cannot be decoded. */
export class UnreadableEncoding extends Error {
  readonly reason: 'unknown' | 'damaged' | 'too long';

  constructor(reason: UnreadableEncoding['reason']) {
    super(`the body's encoding: ${reason}`);
    this.reason = reason;
  }
}

/** Whether the bytes of the body are not yet what the client means; most requests have no such header. */
export function isEncoded(encoding: string | undefined): encoding is string {
  return encoding !== undefined && !/^\s*(?:identity\s*)?$/i.test(encoding);
}

/**
 * The body itself. A kilobyte of gzip can stand for a megabyte: it is unpacked up to `longest` bytes and no further.
 * Throws `UnreadableEncoding`.
 */
export async function decodeBody(encoding: string, body: Buffer, longest: number): Promise<Buffer> {
  if (!/^\s*(?:x-)?gzip\s*$/i.test(encoding)) throw new UnreadableEncoding('unknown');
  if (body.length === 0) return body;
  try {
    return await unzip(body, { maxOutputLength: longest });
  } catch (error) {
    const isTooLong = error instanceof RangeError || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new UnreadableEncoding(isTooLong ? 'too long' : 'damaged');
  }
}
