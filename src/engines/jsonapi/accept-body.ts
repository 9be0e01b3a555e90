/** How the engine reads the body of a request: as it came or with gzip, JSON that can be stored. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decodeBody, isEncoded, UnreadableEncoding } from '../../base/encoded-body.ts';
import { readStorableJson, UnreadableJson } from '../../base/incoming-json.ts';
import { bodyBytes } from '../../base/request-slot.ts';
import { ApiError, errors } from './errors.ts';
import { mediaType } from './http.ts';

/** Reads bodies of any type; `checkContentType` has already refused the wrong ones. */
export function acceptAnyBody(app: FastifyInstance, longest: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, async (request: FastifyRequest, sent: Buffer) => {
    const encoding = request.headers['content-encoding'];
    const body = isEncoded(encoding) ? await decoded(encoding, sent, longest) : sent;
    bodyBytes.set(request, body);
    if (body.length === 0) return undefined;
    try {
      return readStorableJson(body);
    } catch (error) {
      throw error instanceof UnreadableJson ? new ApiError([errors.badRequest(error.message)]) : error;
    }
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
}

async function decoded(encoding: string, sent: Buffer, longest: number): Promise<Buffer> {
  try {
    return await decodeBody(encoding, sent, longest);
  } catch (error) {
    if (!(error instanceof UnreadableEncoding)) throw error;
    const { reason } = error;
    if (reason === 'too long') throw new ApiError([errors.tooLarge(longest)]);
    if (reason === 'unknown') throw new ApiError([errors.unsupportedEncoding(encoding)], { 'accept-encoding': 'gzip' });
    throw new ApiError([errors.badRequest('The request body is not what its Content-Encoding says.')]);
  }
}
