/** Media types, and how documents and errors are sent. */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorObject, errors } from './errors.ts';
import { largestResponse } from './facts.ts';
import { DocumentText } from './plan/document-text.ts';
import { type Body, encoded, isCompressible, type ReadyBody } from './ready-responses.ts';

export const mediaType = 'application/vnd.api+json';
const writingMethods = new Set(['POST', 'PATCH', 'PUT']);

/** Throws 406 unless the client accepts the JSON:API type without parameters; `*` and no header are accepted too. */
export function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '*/*' || accept === mediaType) return;
  const ranges = accept.split(',').map((range) => range.trim().toLowerCase());
  const acceptable = ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) return false;
    if (type === '*/*' || type === 'application/*' || type === '') return true;
    return type === mediaType && parameters.every((parameter) => parameter.startsWith('q='));
  });
  if (!acceptable) throw new ApiError([errors.notAcceptable(accept)]);
}

/** Whether a request of this method has a document as its body. */
export const carriesDocument = (method: string): boolean => writingMethods.has(method);

/** Throws 415 unless the body has the JSON:API type without parameters. */
export function checkContentType(contentType: string | undefined): void {
  if (contentType?.trim().toLowerCase() !== mediaType) {
    throw new ApiError([errors.unsupportedMediaType(contentType ?? '')]);
  }
}

export const errorDocument = (problems: readonly ErrorObject[], apiVersion: string): object => ({
  errors: problems,
  meta: { api_version: apiVersion },
});

export function bodyOf(document: object): Body {
  const bytes = document instanceof DocumentText ? document.bytes() : Buffer.from(JSON.stringify(document));
  return { bytes, etag: etagOf(bytes) };
}

/** Processors have instructions for SHA-1, which makes it several times faster than MD5. */
const etagOf = (body: Buffer | string): string => `W/"${hash('sha1', body).slice(0, 32)}"`;

/** A shorter document is sent as text: Node writes it together with the headers. */
const shortText = 4_096;

/** Sends a document with its caching headers; 304 if the client has it already. */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  document: object,
  contentType = mediaType,
): FastifyReply {
  if (document instanceof DocumentText && document.length >= shortText)
    return sendBody(request, reply, status, bodyOf(document), contentType);
  const text = document instanceof DocumentText ? document.text : JSON.stringify(document);
  const bytes = text.length < shortText ? text : Buffer.from(text);
  return sendBody(request, reply, status, { bytes, etag: etagOf(bytes) }, contentType);
}

/** Fastify adds a charset to text unless a serializer has written it, and this media type has no parameters. */
const asItIs = (text: string): string => text;

function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  { bytes, etag }: { bytes: Buffer | string; etag: string },
  contentType = mediaType,
): FastifyReply {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  // Only reads: a write has been done, and an error would say that it has not.
  if (reads && bytes.length > largestResponse) throw new ApiError([errors.responseTooLarge(largestResponse)]);
  reply
    .header('etag', etag)
    // A product may be stricter, such as with what nobody may find on a shared computer.
    .header('cache-control', reply.getHeader('cache-control') ?? 'max-age=0, private, must-revalidate')
    .header('x-runtime', runtime(reply));
  if (reads && isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send();
  reply.code(status).header('content-type', contentType);
  return (typeof bytes === 'string' ? reply.serializer(asItIs) : reply).send(bytes);
}

/** The same for a response of reference data, compressed if the client accepts that. */
export async function sendReady(request: FastifyRequest, reply: FastifyReply, ready: ReadyBody): Promise<FastifyReply> {
  if (isCompressible(ready)) {
    const vary = reply.getHeader('vary');
    reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  }
  // A response without a body has no encoding.
  if (isKnown(ready.etag, request.headers['if-none-match'])) return sendBody(request, reply, 200, ready);
  const { bytes, encoding } = await encoded(ready, request.headers['accept-encoding']);
  if (encoding !== null) reply.header('content-encoding', encoding);
  return sendBody(request, reply, 200, { bytes, etag: ready.etag });
}

/** Compares weakly, as `If-None-Match` asks for: with or without `W/`, one of a list, or `*`. */
function isKnown(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const bare = etag.replace(/^W\//, '');
  return header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === bare);
}

export function sendNothing(reply: FastifyReply, status = 204): FastifyReply {
  return reply.code(status).header('cache-control', 'no-cache').header('x-runtime', runtime(reply)).send();
}

export function sendErrors(reply: FastifyReply, problems: readonly ErrorObject[], apiVersion: string): FastifyReply {
  return reply
    .code(Number(problems[0]?.status ?? 500))
    .header('cache-control', 'no-cache')
    .header('x-runtime', runtime(reply))
    .header('content-type', mediaType)
    .send(Buffer.from(JSON.stringify(errorDocument(problems, apiVersion))));
}

const runtime = (reply: FastifyReply): string => (reply.elapsedTime / 1000).toFixed(6);
