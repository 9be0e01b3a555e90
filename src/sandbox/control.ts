/** How one concern of the control interface declares its calls; plain JSON in and out, the caller already known. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Caller } from '../accounts/caller.ts';
import type { Environment } from '../environment.ts';
import { isStorable } from '../incoming-json.ts';
import { BadControlRequest, ControlError } from './errors.ts';

/** A file per concern exports one of these; routes.ts lists them. */
export type Control = (routes: ControlRoutes, env: Environment) => void;

export interface ControlRequest<Body> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Aborted when the client has gone, for calls that wait. */
  readonly signal: AbortSignal;
}

export interface ControlAnswer {
  status?: number;
  body: unknown;
}

type Handle<Body> = (request: ControlRequest<Body>) => Promise<ControlAnswer>;

export interface ControlRoutes {
  /** Paths are below `/sandbox/v1`, with `:name` for a part that varies. */
  get(path: string, handle: Handle<undefined>): void;
  post<S extends TSchema>(path: string, body: S, handle: Handle<Static<S>>): void;
}

export function controlRoutes(app: FastifyInstance, callerOf: (request: FastifyRequest) => Caller): ControlRoutes {
  const add = <Body>(method: 'GET' | 'POST', url: string, read: (body: unknown) => Body, handle: Handle<Body>) => {
    app.route<{ Params: Record<string, string>; Querystring: Record<string, string> }>({
      method,
      url,
      handler: async (request, reply) => {
        // No stored name can match one with NUL, and the database would refuse to compare them.
        if (!isStorable(request.params)) throw new ControlError('not_found');
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        const { status = 200, body } = await handle({
          caller: callerOf(request),
          params: request.params,
          query: request.query,
          body: read(request.body),
          signal: gone.signal,
        });
        return reply.code(status).send(body);
      },
    });
  };
  return {
    get: (path, handle) => add('GET', path, () => undefined, handle),
    post: (path, schema, handle) => add('POST', path, reader(schema), handle),
  };
}

function reader<S extends TSchema>(schema: S): (body: unknown) => Static<S> {
  const validator = Compile(schema);
  return (body) => {
    const value: unknown = body ?? {};
    if (isValid(value)) return value;
    const [error] = validator.Errors(value);
    const where = error?.instancePath.slice(1).replaceAll('/', '.');
    // The schema of a member that is not named in its object is `false`.
    const what = error?.keyword === 'boolean' ? 'is not known' : (error?.message ?? 'is not valid');
    throw new BadControlRequest([where, what].filter(Boolean).join(' '));
  };
  function isValid(value: unknown): value is Static<S> {
    return validator.Check(value);
  }
}
