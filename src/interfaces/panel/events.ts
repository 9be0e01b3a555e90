/**
 * `/panel/v1/events`: server-sent events about what changes in the account, or for operators in every account. An event
 * is a hint (`{"topic":"orders","id":"…"}`): the page reads what it shows through the public interfaces. A stream that
 * is cut goes on after the id in `Last-Event-ID` or `?after=`; `refresh` asks the client to read everything anew.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PanelSession } from '../../business/accounts/sessions.ts';
import type { Environment } from '../../engines/environment.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import type { PanelOptions } from './context.ts';
import { EventHub, type Stream } from './event-hub.ts';
import { everyAccount } from './event-store.ts';
import { requireSession } from './sign-in.ts';

/** A client that has so much to read is cut off; it comes back when it can. */
const mostUnread = 256 * 1024;

export function registerEvents(app: FastifyInstance, env: Environment, options: PanelOptions): void {
  const hub = new EventHub(env);
  app.server.once('stopping', () => hub.close());
  app.addHook('preClose', async () => hub.close());

  app.get('/events', async (request, reply) => {
    const session = await requireSession(env, request, options);
    if (!hub.hasRoom(session.id)) {
      throw new ApiError([errors.refused(429, 'Too many streams', 'Too many pages are open.')], {
        'retry-after': '10',
      });
    }
    const lastId = lastIdOf(request);
    const stream = startStream(reply, session);
    reply.raw.once('close', () => hub.leave(stream));
    await hub.open(stream, lastId).catch((error: unknown) => {
      request.log.warn({ err: error }, 'a stream of live events could not be opened');
      hub.leave(stream);
      stream.close();
    });
  });
}

function lastIdOf(request: FastifyRequest): string | null {
  const { after } = request.query as { after?: unknown };
  const given = request.headers['last-event-id'] ?? after;
  return typeof given === 'string' && /^\d{1,18}$/.test(given) ? given : null;
}

function startStream(reply: FastifyReply, { id, operator, caller }: PanelSession): Stream {
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  reply.hijack();
  raw.setHeader('content-type', 'text/event-stream; charset=utf-8');
  // Proxies that collect responses would hold events back.
  raw.setHeader('x-accel-buffering', 'no');
  raw.writeHead(200);
  raw.write('retry: 1000\n\n');
  const write = (text: string): boolean => {
    if (raw.writableEnded || raw.destroyed || raw.writableLength > mostUnread) return false;
    raw.write(text);
    return true;
  };
  return {
    sessionId: id,
    // An operator who acts as a customer looks at that customer.
    accountId: caller?.accountId ?? (operator === null ? '' : everyAccount),
    send: (at, events) =>
      write(
        events
          .map(({ topic, subject, accountId }) => {
            const data = { topic, id: subject, ...(caller === null ? { account_id: accountId } : {}) };
            return `event: change\nid: ${at}\ndata: ${JSON.stringify(data)}\n\n`;
          })
          .join(''),
      ),
    refresh: (at) => {
      write(`event: refresh\nid: ${at}\ndata: {}\n\n`);
    },
    beat: () => {
      write(': still here\n\n');
    },
    close: () => {
      raw.end();
    },
  };
}
