/**
 * How the control interface declares its routes (plain JSON requests and responses, one of them audio, with the caller
 * already authenticated), and its errors.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isStorable } from '../../base/incoming-json.ts';
import type { Caller } from '../../business/accounts/caller.ts';
import type { Outcome } from '../../engines/db/made-changes.ts';
import type { RouteFlags } from '../../engines/jsonapi/engine.ts';
import { checkerOf, type TypedSchema } from '../../engines/typed-schema.ts';
import { baseUrlOf } from '../platform/context.ts';
import { TooManyWaiting, Turns } from '../worlds/turns.ts';
import type { SandboxEnvironment } from './environment.ts';

/** One per subject; routes.ts lists them. */
export type Control = (routes: ControlRoutes, env: SandboxEnvironment) => void;

export interface ControlRequest<Body> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly headers: IncomingHttpHeaders;
  /** Where the client reaches this server, for links. */
  readonly baseUrl: string;
  /** Aborted when the client disconnects. Made when it is asked for: few requests wait. */
  signal(): AbortSignal;
  /** Called when the server begins to stop: streams end. */
  onStopping(action: () => void): void;
}

interface ControlResponse {
  status?: number;
  /** The media type of a body that is not JSON but bytes, or a stream of them. */
  type?: string;
  body: unknown;
}

type Handle<Body> = (request: ControlRequest<Body>) => Promise<ControlResponse>;

export interface ControlRoutes {
  /** Paths are relative to `/sandbox/v1`; `:name` is a parameter. */
  get(path: string, handle: Handle<undefined>): void;
  post<Body>(path: string, body: TypedSchema<Body>, handle: Handle<Body>): void;
  /**
   * The same for work that may take long: few at a time, and accounts take turns (429 and 503 beyond what may wait).
   */
  postLong<Body>(path: string, body: TypedSchema<Body>, handle: Handle<Body>): void;
  /** For a body that is not JSON but a file, of the type `fileType`, as it comes. */
  put(path: string, handle: Handle<Readable>): void;
  delete(path: string, handle: Handle<undefined>): void;
}

/** What snapshots are sent and received as. */
export const fileType = 'application/gzip';

export function controlRoutes(
  app: FastifyInstance,
  env: SandboxEnvironment,
  callerOf: (request: FastifyRequest) => Caller,
): ControlRoutes {
  const turns = new Turns({ ...longWork, what: 'a seed or an advance of the clock' });
  const add = <Body>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    read: (body: unknown) => Body,
    handle: Handle<Body>,
  ) => {
    app.route<{ Params: Record<string, string>; Querystring: Record<string, string | string[]> }>({
      method,
      url,
      // Who may use it is said of its subject (access.ts).
      config: { type: url.split('/')[1] ?? '' } satisfies RouteFlags,
      handler: async (request, reply) => {
        // NUL cannot occur in a stored name, and the database would reject the comparison.
        if (!isStorable(request.params)) throw new ControlError('not_found');
        const {
          status = 200,
          type,
          body,
        } = await handle({
          caller: callerOf(request),
          params: request.params,
          query: singleValues(request.query),
          body: read(request.body),
          headers: request.headers,
          baseUrl: baseUrlOf(env, request),
          signal: () => signalOf(reply.raw),
          onStopping: (action) => {
            app.server.once('stopping', action);
            reply.raw.once('close', () => app.server.removeListener('stopping', action));
          },
        });
        if (type !== undefined) reply.type(type);
        return reply.code(status).send(body);
      },
    });
  };
  return {
    get: (path, handle) => add('GET', path, () => undefined, handle),
    post: (path, schema, handle) => add('POST', path, reader(schema), handle),
    postLong: (path, schema, handle) =>
      add('POST', path, reader(schema), (request) => inTurn(turns, request.caller, () => handle(request))),
    put: (path, handle) => add('PUT', path, readFile, handle),
    delete: (path, handle) => add('DELETE', path, () => undefined, handle),
  };
}

/** Of seeds and advances together; worlds and snapshots have slots of their own (worlds/turns.ts). */
const longWork = { together: 4, ofOneAccount: 2, mostWaiting: 64, mostWaitingInAll: 256 };

async function inTurn<T>(turns: Turns, { accountId }: Caller, work: () => Promise<T>): Promise<T> {
  try {
    return await turns.take(accountId, work);
  } catch (error) {
    throw error instanceof TooManyWaiting ? new NotPossible(error.status, error.message) : error;
  }
}

/** A parameter is sent once, and its value can be compared with what is stored. */
function singleValues(query: Readonly<Record<string, string | string[]>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string') throw new BadControlRequest(`the parameter ${name} was sent more than once`, 400);
    if (!isStorable(value)) throw new BadControlRequest(`the parameter ${name} holds a NUL character`, 400);
    values[name] = value;
  }
  return values;
}

function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const end = () => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.closed) end();
  else response.once('close', end);
  return gone.signal;
}

function readFile(body: unknown): Readable {
  if (body instanceof Readable) return body;
  throw new BadControlRequest(`the body must be a file, as ${fileType}`);
}

function reader<T>(schema: TypedSchema<T>): (body: unknown) => T {
  const checker = checkerOf(schema);
  return (body) => {
    const value: unknown = body ?? {};
    if (checker.allows(value)) return value;
    throw new BadControlRequest(checker.problemOf(value));
  };
}

/** The errors of the control interface: status and text. */
const controlErrors = {
  unauthorized: [401, 'The api-key header is missing or the key is not valid here.'],
  out_of_scope: [403, 'The API key has no scope for the sandbox.'],
  clock_not_yours: [403, 'The operator of this sandbox does not let this account move the clock.'],
  not_found: [404, 'There is nothing here.'],
  in_a_world: [
    404,
    'Worlds and snapshots are managed outside of worlds: at the address of the server, with the key that made this world.',
  ],
  jobs_stalled: [503, 'Something that fell due did not end in time; the clock goes on from the time it had reached.'],
} as const satisfies Record<string, readonly [number, string]>;

export class ControlError extends Error {
  readonly statusCode: number;

  /** Of a 503: what is known of its changes. Jobs that had ended when the advance was given up are done. */
  readonly outcome = 'unknown' satisfies Outcome;

  constructor(name: keyof typeof controlErrors) {
    super(controlErrors[name][1]);
    this.statusCode = controlErrors[name][0];
  }
}

/** The request is invalid; the text says why. */
export class BadControlRequest extends Error {
  readonly statusCode: number;

  constructor(text: string, statusCode: 400 | 409 | 422 = 422) {
    super(text);
    this.statusCode = statusCode;
  }
}

/** The caller may not; the text says why. */
export class Refused extends Error {
  readonly statusCode = 403;
}

/** The request is in order, but cannot be met now; the text says why. */
export class NotPossible extends Error {
  readonly statusCode: number;
  /** What is known of its changes. */
  readonly outcome: Outcome;

  constructor(statusCode: 429 | 503, text: string, outcome: Outcome = 'nothing_changed') {
    super(text);
    this.statusCode = statusCode;
    this.outcome = outcome;
  }
}

const longestWait = 60;

/** Seconds of real time, cut to the maximum. */
export function readWait(text = '0'): number {
  if (typeof text !== 'string' || !/^\d+(\.\d+)?$/.test(text))
    throw new BadControlRequest('wait must be a number of seconds');
  return Math.min(Number(text), longestWait);
}
