/** Bodies that come compressed, and those that are not what they say. */
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeBody, isEncoded } from './encoded-body.ts';

const text = '{"data":{"type":"shelves"}}';
const zipped = gzipSync(text);

describe('a body', () => {
  it.each([undefined, '', 'identity', ' Identity '])('is as it came with %j', (encoding) => {
    expect(isEncoded(encoding)).toBe(false);
  });

  it.each(['gzip', 'GZIP', ' x-gzip '])('is unpacked with %j', async (encoding) => {
    expect(isEncoded(encoding)).toBe(true);
    expect((await decodeBody(encoding, zipped, 100)).toString()).toBe(text);
  });

  it('of no bytes is empty', async () => {
    expect((await decodeBody('gzip', Buffer.alloc(0), 100)).length).toBe(0);
  });

  it('may be as long as the limit, in several members too', async () => {
    const two = Buffer.concat([zipped, zipped]);
    expect((await decodeBody('gzip', two, 2 * text.length)).toString()).toBe(text + text);
  });

  it.each([
    ['unknown', 'br', zipped],
    ['unknown', 'gzip, gzip', gzipSync(zipped)],
    ['damaged', 'gzip', Buffer.from(text)],
    ['damaged', 'gzip', deflateSync(text)],
    ['damaged', 'gzip', zipped.subarray(0, 20)],
    ['too long', 'gzip', gzipSync(Buffer.alloc(16 * 1024 * 1024))],
  ])('is refused: %s, %s', async (reason, encoding, body) => {
    await expect(decodeBody(encoding, body, 1024)).rejects.toMatchObject({ reason });
  });
});
