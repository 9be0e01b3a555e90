/** Limits for clients that are not authenticated yet: time, size, connections. */
import type { IncomingMessage, Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { addressGroup, allowList, isAllowed } from '../../business/accounts/allowed-ips.ts';
import { noteRequest, refusalFor, refuseBrokenRequest } from './refusals.ts';

export interface RequestLimits {
  /** From the first byte to the end of the headers, of the body, and of the whole request. */
  headersMs: number;
  bodyMs: number;
  requestMs: number;
  connectionsPerAddress: number;
}

export const shippedLimits: RequestLimits = {
  headersMs: 10_000,
  bodyMs: 30_000,
  requestMs: 60_000,
  connectionsPerAddress: 256,
};

const longestUrl = 64 * 1024;
const largestHeaders = 16 * 1024;
/**
 * Node's own limit for URL and headers together; larger, so that a URL that is too long still gets a proper response.
 */
export const largestHead = 256 * 1024;

/** Refuses long URLs and headers in the interface's own form, and cuts off bodies that come too slowly. */
export function registerRequestLimits(app: FastifyInstance, { bodyMs }: RequestLimits): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    noteRequest(raw);
    let headers = 0;
    for (const text of raw.rawHeaders) headers += text.length;
    const status = refusedHead(raw, headers);
    if (status !== null) {
      const refusal = refusalFor(raw.url ?? null, status, raw.headers.origin);
      reply.code(refusal.status).headers(refusal.headers).header('connection', 'close').send(refusal.body);
      return;
    }
    done();
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return;
    const tooSlow = setTimeout(() => {
      const error = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      if (!raw.complete && !reply.raw.headersSent) refuseBrokenRequest(error, raw.socket);
      else if (!raw.complete) raw.destroy();
    }, bodyMs);
    raw.once('close', () => clearTimeout(tooSlow));
    raw.once('end', () => clearTimeout(tooSlow));
  });
}

/** The status that refuses a request by its head alone. */
function refusedHead(
  { url = '', httpVersion, headers: { host } }: IncomingMessage,
  size: number,
): 400 | 414 | 431 | null {
  if (url.length > longestUrl) return 414;
  if (size > largestHeaders) return 431;
  return httpVersion === '1.1' && host === undefined ? 400 : null;
}

/** Proxies are exempt: they carry many clients over one connection. */
export function limitConnections(server: Server, perAddress: number, exempt: readonly string[]): void {
  const open = new Map<string, number>();
  const exempted = allowList(exempt.flatMap((entry) => networks[entry] ?? [entry]));
  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || (exempted !== null && isAllowed(exempted, remoteAddress))) return;
    const group = addressGroup(remoteAddress);
    const count = (open.get(group) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    open.set(group, count);
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1;
      if (left > 0) open.set(group, left);
      else open.delete(group);
    });
  });
}

/** The names that Fastify knows for the usual private networks. */
const networks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
