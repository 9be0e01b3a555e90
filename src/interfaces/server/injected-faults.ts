/**
 * Requests that a test has asked to go wrong: refused, delayed, dropped or cut off in the middle. Only in a sandbox.
 */
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestSlot } from '../../base/request-slot.ts';
import type { Environment } from '../../engines/environment.ts';
import type { ErrorObject } from '../../engines/jsonapi/errors.ts';
import { errorDocument, mediaType } from '../../engines/jsonapi/http.ts';
import { commonHeaders } from '../platform/v3/headers.ts';
import { newestVersion } from '../platform/versions/versions.ts';
import { isFor, type MatchedRequest } from '../sandbox/faults/match.ts';
import {
  isPlatformError,
  isVerificationError,
  platformErrorOf,
  platformErrors,
  verificationCodeOf,
} from '../sandbox/faults/named-errors.ts';
import { accountOf } from '../sandbox/faults/request-account.ts';
import { type FaultAction, StoredFaults } from '../sandbox/faults/stored-faults.ts';
import { type ErrorCode, errorEnvelope, errorTexts } from '../verification/errors.ts';
import { corsHeaders } from '../verification/responses.ts';
import { decodedPath, interfaceOf } from './interface-of.ts';

/** The accounts of requests that a fault has met: who sent them is not looked at otherwise if they are refused. */
const accounts = new RequestSlot<string>('account of a faulty request');

export const accountOfFaulty = (request: FastifyRequest): string | null => accounts.get(request) ?? null;

/** What clients are told to wait, where they are told so. */
const retryAfter = '1';

export function registerInjectedFaults(app: FastifyInstance, env: Environment): void {
  const { faults } = env;
  if (!(faults instanceof StoredFaults)) return;
  const broken = new RequestSlot<'drop' | 'truncate'>('broken response');

  app.addHook('onRequest', (request, reply, done) => {
    // The control interface always works: a test must be able to remove its fault.
    const name = faults.hasAny === false ? null : interfaceOf(request);
    if (name !== 'v3' && name !== 'api/v1') return done();
    meet(request, reply, name).then((isAnswered) => {
      if (!isAnswered) done();
    }, done);
  });
  const meet = async (
    request: FastifyRequest,
    reply: FastifyReply,
    name: MatchedRequest['interface'],
  ): Promise<boolean> => {
    const path = decodedPath(request.url);
    const { accountId, apiKey } = await accountOf(env, request);
    if (accountId === null) return false;
    const about = { interface: name, method: request.method, path, apiKey };
    const fault = await faults.takeFirst(accountId, (each) => isFor(each, about));
    if (fault === null) return false;
    accounts.set(request, accountId);
    const { action } = fault;
    if (action.delay_ms !== undefined)
      await delay(action.delay_ms, undefined, { signal: closed(reply) }).catch(() => {});
    if (action.drop === true) {
      reply.hijack();
      reply.raw.socket?.destroy();
      return true;
    }
    if (action.drop === 'response') broken.set(request, 'drop');
    if (action.truncate) broken.set(request, 'truncate');
    const refusal = refusalOf(action, about);
    if (refusal !== null) send(request, reply, refusal);
    return refusal !== null;
  };

  app.addHook('onSend', (request, reply, payload, done) => {
    const way = broken.get(request);
    if (way === 'drop') reply.raw.socket?.destroy();
    if (way !== 'truncate' || (typeof payload !== 'string' && !Buffer.isBuffer(payload))) return done(null, payload);
    const bytes = Buffer.from(payload);
    reply.header('content-length', String(bytes.length));
    done(null, Readable.from(firstHalf(bytes, () => reply.raw.socket?.destroySoon())));
  });
}

function closed(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

async function* firstHalf(bytes: Buffer, cut: () => void): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, Math.floor(bytes.length / 2));
  cut();
}

type Refusal = { platform: ErrorObject } | { verification: ErrorCode; status: number };

function refusalOf(
  { status, error, rate_limit }: FaultAction,
  request: Pick<MatchedRequest, 'interface' | 'method' | 'path'>,
): Refusal | null {
  if (request.interface === 'api/v1') {
    const code =
      error !== undefined && isVerificationError(error)
        ? error
        : rate_limit
          ? 'rate_limit_per_account'
          : status === undefined
            ? null
            : verificationCodeOf(status);
    return code === null ? null : { verification: code, status: status ?? errorTexts[code][0] };
  }
  if (error !== undefined) return isPlatformError(error) ? { platform: platformErrors[error](request) } : null;
  if (rate_limit) return { platform: platformErrors.too_many_requests() };
  return status === undefined ? null : { platform: platformErrorOf(status, request) };
}

function send(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const status = 'platform' in refusal ? Number(refusal.platform.status) : refusal.status;
  if (status === 429 || status === 503) reply.header('retry-after', retryAfter);
  reply.code(status);
  if ('platform' in refusal) {
    const body = Buffer.from(JSON.stringify(errorDocument([refusal.platform], newestVersion)));
    return reply
      .headers(commonHeaders({ origin: request.headers.origin }))
      .header('content-type', mediaType)
      .send(body);
  }
  // The request is not carried out.
  if (status === 503) reply.header('x-outcome', 'nothing_changed');
  return reply.headers(corsHeaders).send(errorEnvelope([refusal.verification]));
}
