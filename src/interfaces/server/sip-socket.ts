/**
 * SIP over WebSocket (RFC 7118) at `/sip`: says who may connect, and hands the connection to the SIP endpoint of this
 * process. What a client may do then its credentials decide.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { addressGroup } from '../../business/accounts/allowed-ips.ts';
import { originOf } from '../../business/accounts/same-origin.ts';
import type { SipEndpoint } from '../../business/b2bua/endpoint.ts';
import { limits } from '../../engines/sip/message/limits.ts';
import { TidyServer } from './tidy-server.ts';
import type { WholeEnvironment } from './whole-environment.ts';

const path = '/sip';
const subprotocol = 'sip';

interface Upgrade {
  socket: Socket;
  head: Buffer;
  response: ServerResponse;
}

interface Refusal {
  status: number;
  error: string;
  headers?: Readonly<Record<string, string>>;
}

/** Node treats all other requests for an upgrade, such as those for HTTP/2, as if they did not ask for it. */
export const isSipUpgrade = ({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean =>
  url.split('?', 1)[0] === path && headers.upgrade?.toLowerCase() === 'websocket';

/** `origins`: pages of other servers that may connect. */
export function registerSipSocket(app: FastifyInstance, env: WholeEnvironment, origins: readonly string[]): void {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: limits.messageBytes },
    handleProtocols: () => subprotocol,
  });
  // What a connection does later is no part of the request that opened it.
  const outside = AsyncLocalStorage.snapshot();

  app.server.on('upgrade', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    if (!(duplex instanceof Socket)) return void duplex.destroy();
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(duplex);
    response.once('finish', () => duplex.destroySoon());
    duplex.once('error', () => duplex.destroy());
    upgrades.set(request, { socket: duplex, head, response });
    app.routing(request, response);
  });

  app.get(path, (request, reply) => {
    const upgrade = upgrades.get(request.raw);
    const { endpoint } = env.sip;
    const refusal = refusalOf(env, endpoint, request, origins, upgrade !== undefined);
    if (refusal !== null || upgrade === undefined || endpoint === null) return refuse(reply, refusal);
    reply.hijack();
    upgrade.response.detachSocket(upgrade.socket);
    if (app.server instanceof TidyServer) app.server.handOver(upgrade.socket);
    const client = {
      transport: request.protocol === 'https' ? ('WSS' as const) : ('WS' as const),
      address: request.ip,
      // Behind a proxy the port of the client is not known; that of the proxy's connection tells connections apart.
      port: upgrade.socket.remotePort ?? 0,
    };
    outside(() =>
      server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket: WebSocket) =>
        endpoint.webSockets.accept(socket, client, addressGroup(client.address)),
      ),
    );
  });
}

function refuse(reply: FastifyReply, refusal: Refusal | null): FastifyReply {
  const { status, error, headers = {} } = refusal ?? { status: 503, error: 'SIP is not served here' };
  return reply.code(status).headers(headers).send({ error });
}

function refusalOf(
  env: WholeEnvironment,
  endpoint: SipEndpoint | null,
  request: FastifyRequest,
  origins: readonly string[],
  isUpgrade: boolean,
): Refusal | null {
  const { headers, ip } = request;
  if (!isUpgrade) {
    const error = 'Connect with a WebSocket; this address speaks SIP (RFC 7118)';
    return { status: 426, error, headers: { upgrade: 'websocket' } };
  }
  const { origin } = headers;
  if (origin !== undefined && origin !== originOf(env, request) && !origins.includes(origin)) {
    return {
      status: 403,
      error: `Pages of ${origin} may not connect; the operator can add it to TRUNKLINE_SIP_ORIGINS`,
    };
  }
  const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  if (!protocols.includes(subprotocol)) return { status: 400, error: 'Ask for the subprotocol "sip"' };
  if (endpoint?.takesCalls !== true) return { status: 503, error: 'This process takes no SIP calls' };
  if (isIP(ip) === 0) return { status: 400, error: 'The proxy says no address of the client' };
  if (endpoint.guard.ignores(ip)) {
    return { status: 429, error: 'Too many wrong passwords; try again later', headers: { 'retry-after': '60' } };
  }
  if (!endpoint.webSockets.hasRoomFor(addressGroup(ip))) {
    return { status: 429, error: 'Too many connections from this address', headers: { 'retry-after': '5' } };
  }
  return null;
}
