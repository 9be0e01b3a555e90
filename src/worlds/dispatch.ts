/**
 * Stands before the sandbox's own handler and hands requests to worlds: those below `/w/<id>`, and those to the root address
 * with a key of a world.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashKey } from '../accounts/api-keys.ts';
import { parseAuthorization } from '../verification/authorization.ts';
import { worldIn } from './world-path.ts';
import type { Worlds } from './worlds.ts';

export type Front = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export interface FrontOptions {
  /** There is no such world. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
  /** The world could not be opened. */
  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void;
}

export function worldFront(worlds: Worlds, { refuse, fail }: FrontOptions): Front {
  return (request, response, next) => {
    const named = worldIn(request.url ?? '');
    if (named === null && !hasKey(request)) return next();
    // Requests of a sandbox without worlds go on at once.
    if (named === null && worlds.knownKeys()?.size === 0) return next();
    enter(named).catch((error) => fail(request, response, error));

    async function enter(named: string | null): Promise<void> {
      const id = named ?? worldOfKey(await worlds.keys(), request);
      if (id === null) return next();
      if (!(await worlds.handle(id, request, response))) refuse(request, response);
    }
  };
}

const hasKey = ({ headers }: IncomingMessage): boolean =>
  headers['api-key'] !== undefined || headers.authorization !== undefined;

function worldOfKey(keys: ReadonlyMap<string, string>, { headers }: IncomingMessage): string | null {
  if (keys.size === 0) return null;
  const apiKey = headers['api-key'];
  if (typeof apiKey === 'string') return keys.get(`api:${hashKey(apiKey).toString('hex')}`) ?? null;
  const claim = parseAuthorization(headers.authorization);
  return claim === null ? null : (keys.get(`otp:${claim.key.toLowerCase()}`) ?? null);
}
