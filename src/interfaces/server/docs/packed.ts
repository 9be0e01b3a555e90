/** A text that is requested often: compressed once, sent compressed if the client accepts it. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding } from '../../../engines/jsonapi/accept-encoding.ts';

export interface Packed {
  plain: Buffer;
  zipped: Buffer;
  /** Changes when the text does. */
  version: string;
}

export async function pack(text: string | Buffer): Promise<Packed> {
  const plain = Buffer.from(text);
  const version = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  return { plain, zipped: await promisify(gzip)(plain), version };
}

export function sendPacked(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, zipped, version }: Packed,
): FastifyReply {
  const zip = chooseEncoding(request.headers['accept-encoding'], ['gzip']) === 'gzip';
  const etag = `W/"${version}"`;
  reply.header('vary', 'accept-encoding').header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.headers(zip ? { 'content-encoding': 'gzip' } : {}).send(zip ? zipped : plain);
}
