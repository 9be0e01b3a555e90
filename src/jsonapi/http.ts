import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorObject, errors } from './errors.ts';
import { largestResponse } from './facts.ts';

/** The interface's manners on the wire: media types, CORS, headers of answers. */

export const MEDIA_TYPE = 'application/vnd.api+json';
const WRITES = new Set(['POST', 'PATCH', 'PUT']);

/** 406 unless the client takes the JSON:API type without parameters; `*` and no header at all are fine. */
export function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '*/*' || accept === MEDIA_TYPE) return;
  const ranges = accept.split(',').map((range) => range.trim().toLowerCase());
  const acceptable = ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) return false;
    if (type === '*/*' || type === 'application/*' || type === '') return true;
    return type === MEDIA_TYPE && parameters.every((parameter) => parameter.startsWith('q='));
  });
  if (!acceptable) throw new ApiError([errors.notAcceptable(accept)]);
}

/** Whether requests of this method carry a document. */
export const carriesDocument = (method: string): boolean => WRITES.has(method);

/** 415 unless a document is declared as JSON:API without parameters. */
export function checkContentType(contentType: string | undefined): void {
  if (contentType?.trim().toLowerCase() !== MEDIA_TYPE) {
    throw new ApiError([errors.unsupportedMediaType(contentType ?? '')]);
  }
}

/** Whatever word stands in it, such a header selects the version of the interface. */
export const VERSION_HEADER = /^x-[a-z0-9_-]+-api-version$/i;

const ALLOWED_HEADERS =
  'Origin, X-Requested-With, Content-Type, Accept, auth-key, x-api-key, api-key, x-api-token, X-Service-Api-Version, Idempotency-Key, X-User-Agent, Cache-Control';

const CORS = {
  'access-control-allow-credentials': 'true',
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, OPTIONS',
  'access-control-expose-headers': 'Date, X-Request-Id, Content-Disposition',
  'access-control-max-age': '7200',
};

const SAFETY = {
  vary: 'Accept, Origin',
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  'x-permitted-cross-domain-policies': 'none',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-xss-protection': '0',
};

export function writeCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { origin, 'access-control-request-headers': asked } = request.headers;
  reply.headers(originHeaders(origin, asked));
}

/** The caller's origin is reflected; without one there is nothing to allow. */
export function originHeaders(origin: string | undefined, asked?: string): Record<string, string> {
  if (origin === undefined) return SAFETY;
  return {
    ...SAFETY,
    ...CORS,
    'access-control-allow-headers': allowedHeaders(asked),
    'access-control-allow-origin': origin,
  };
}

export const errorDocument = (problems: readonly ErrorObject[], apiVersion: string): object => ({
  errors: problems,
  meta: { api_version: apiVersion },
});

/** A list cannot name every version header there may be, so the one that is asked about is added to it. */
function allowedHeaders(asked = ''): string {
  const names = asked.split(',').map((name) => name.trim());
  return [ALLOWED_HEADERS, ...names.filter((name) => VERSION_HEADER.test(name))].join(', ');
}

/** A document, with the headers the recorded answers have. A client that has it already gets 304. */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  document: object,
  mediaType = MEDIA_TYPE,
): FastifyReply {
  // Bytes, not text: to text Fastify adds a charset, which this media type does not have.
  const body = Buffer.from(JSON.stringify(document));
  const reads = request.method === 'GET' || request.method === 'HEAD';
  // A write has happened: its response is one record, however large.
  if (reads && body.length > largestResponse)
    throw new ApiError([errors.responseTooLarge(largestResponse / 1024 ** 2)]);
  const etag = `W/"${createHash('md5').update(body).digest('hex')}"`;
  reply
    .header('etag', etag)
    .header('cache-control', 'max-age=0, private, must-revalidate')
    .header('x-runtime', runtime(reply));
  if (reads && isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send();
  return reply.code(status).header('content-type', mediaType).send(body);
}

/** `If-None-Match` compares weakly: with or without `W/`, one of a list, or `*`. */
function isKnown(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const bare = etag.replace(/^W\//, '');
  return header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === bare);
}

export function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.code(204).header('cache-control', 'no-cache').header('x-runtime', runtime(reply)).send();
}

export function sendErrors(reply: FastifyReply, problems: readonly ErrorObject[], apiVersion: string): FastifyReply {
  return reply
    .code(Number(problems[0]?.status ?? 500))
    .header('cache-control', 'no-cache')
    .header('x-runtime', runtime(reply))
    .header('content-type', MEDIA_TYPE)
    .send(Buffer.from(JSON.stringify(errorDocument(problems, apiVersion))));
}

const runtime = (reply: FastifyReply): string => (reply.elapsedTime / 1000).toFixed(6);
