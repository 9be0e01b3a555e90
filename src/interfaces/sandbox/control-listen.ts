/**
 * `GET /sandbox/v1/listen`: server-sent events with each callback and call event as it is sent for the first time, made
 * for another address: the same method, headers and bytes, with signatures of a secret that the listener has chosen.
 */
import { PassThrough } from 'node:stream';
import { callbackRequest, type Outgoing, readCallbackUrl } from '../../business/callbacks/callback-request.ts';
import { announceMs, type Sent } from '../../business/callbacks/listeners.ts';
import { eventRequest } from '../../business/voice/events/lane.ts';
import { readStream, streamNames } from '../../business/voice/events/stream-settings.ts';
import type { Environment } from '../../engines/environment.ts';
import { BadControlRequest, type Control, NotPossible } from './control.ts';

const mostStreams = 4;
/** Then the client comes back, and shows its key again. */
const longestMs = 600_000;
/** A client that has so much to read is cut off. */
const mostUnread = 4 * 1024 * 1024;

interface Forwarded {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

export const listenControl: Control = (routes, env) => {
  const open = new Map<string, number>();

  routes.get('/listen', async (request) => {
    const { accountId } = request.caller;
    const target = request.query.forward === undefined ? null : readCallbackUrl(request.query.forward);
    if (target === null && request.query.forward !== undefined) {
      throw new BadControlRequest('forward must be an address such as http://127.0.0.1:3000/callbacks');
    }
    const secret = request.headers['listen-secret'];
    if (typeof secret !== 'string' || !/^[\x21-\x7e]{8,200}$/.test(secret)) {
      throw new BadControlRequest('the header listen-secret must have 8 to 200 characters without spaces');
    }
    const streams = open.get(accountId) ?? 0;
    if (streams >= mostStreams) throw new NotPossible(429, 'Too many streams of this account are open.');
    open.set(accountId, streams + 1);

    const body = new PassThrough();
    const write = (text: string) => {
      if (body.writableLength > mostUnread) body.end();
      else if (!body.writableEnded) body.write(text);
    };
    const { listeners } = env;
    let turn: Promise<void> = Promise.resolve();
    const stopHearing = listeners.on(accountId, (sent) => {
      turn = turn
        .then(async () => {
          for (const event of await forwarded(env, accountId, sent, { target, secret }))
            write(eventText('sent', event));
        })
        .catch((error: unknown) => env.log.warn({ err: error }, 'what was sent could not be told'));
    });
    const announce = () => {
      write(': still here\n\n');
      listeners.announce(accountId).catch(() => body.end());
    };
    const beat = setInterval(announce, announceMs).unref();
    const end = setTimeout(() => body.end(), longestMs).unref();
    const stop = () => {
      clearInterval(beat);
      clearTimeout(end);
      stopHearing();
      open.set(accountId, (open.get(accountId) ?? 1) - 1);
    };
    body.once('close', stop);
    request.onStopping(() => body.end());
    await listeners.announce(accountId);
    write(eventText('ready', {}));
    return { type: 'text/event-stream; charset=utf-8', body };
  });
};

const eventText = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

interface Listening {
  /** Null: the address of the callback itself, for who only looks. */
  target: string | null;
  secret: string;
}

/** What was sent, as events of the stream; the body is in Base64, since it may be compressed. */
async function forwarded(env: Environment, accountId: string, sent: Sent, listening: Listening): Promise<object[]> {
  const made =
    'callback' in sent
      ? await callback(env, accountId, sent.callback, listening)
      : await events(env, accountId, sent, listening);
  if (made === null) return [];
  const { kind, text, request } = made;
  const { method, url, headers, body } = request;
  return [
    {
      at: env.clock.now().toISOString(),
      ...{ kind, text },
      request: { method, url, headers, body: Buffer.from(body).toString('base64') },
    },
  ];
}

interface Made {
  kind: string;
  /** To be read by people. */
  text: string;
  request: Forwarded;
}

async function callback(env: Environment, accountId: string, id: string, listening: Listening): Promise<Made | null> {
  const row = await env.db
    .selectFrom('deliveries')
    .select(['id', 'kind', 'url', 'method', 'payload'])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const payload = row.payload as Outgoing['payload'];
  const outgoing = { id: row.id, url: listening.target ?? row.url, method: row.method, payload };
  const { body = '', ...request } = callbackRequest(outgoing, listening.secret, env.headerWord, env.clock.now());
  return { kind: row.kind, text: JSON.stringify(payload), request: { ...request, body } };
}

/** The customer's own headers and password are secrets: the chosen one takes their place. */
async function events(
  env: Environment,
  accountId: string,
  sent: { stream: string; events: readonly number[] },
  { target, secret }: Listening,
): Promise<Made | null> {
  const stream = streamNames.find((name) => name === sent.stream);
  const settings = stream === undefined ? null : await readStream(env, accountId, stream);
  if (stream === undefined || settings === null) return null;
  const rows = await env.db
    .selectFrom('call_events')
    .select('body')
    .where('id', 'in', [...sent.events])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  if (rows.length === 0) return null;
  const bodies = rows.map(({ body }) => body);
  const own = Object.fromEntries(Object.keys(settings.headers).map((name) => [name, secret]));
  const changed = { ...settings, url: target ?? settings.url, headers: own, password: secret };
  const { url, method, headers = {}, body = '' } = await eventRequest(stream, changed, bodies);
  return { kind: stream, text: bodies.join('\n'), request: { url, method, headers, body } };
}
