/**
 * Stands before the sandbox's own handler and hands requests to worlds: those below `/w/<id>`, and those to the root
 * address with a key of a world.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashKey } from '../../business/accounts/api-keys.ts';
import { parseAuthorization } from '../verification/authorization.ts';
import { mayBeOfWorld } from './credentials.ts';
import type { ClaimedKey } from './known-worlds.ts';
import { keyNames } from './registry.ts';
import { worldIn } from './world-path.ts';
import type { Worlds } from './worlds.ts';

export type Front = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

interface FrontOptions {
  /** There is no such world. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
  /** The world could not be opened. */
  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void;
}

export function worldFront(worlds: Worlds, { refuse, fail }: FrontOptions): Front {
  const { known } = worlds;
  return (request, response, next) => {
    const named = worldIn(request.url ?? '');
    const key = named === null ? keyOf(request) : null;
    // Requests of a sandbox without worlds go on at once, and their keys are not hashed for it.
    if (named === null && (key === null || (known.areNone && !key.mayBeNew))) return next();
    enter().catch((error) => fail(request, response, error));

    async function enter(): Promise<void> {
      const id = named ?? (key && (await known.ofKey({ name: key.name(), mayBeNew: key.mayBeNew })));
      if (id === null) return next();
      if (!(await worlds.handle(id, request, response))) refuse(request, response);
    }
  };
}

/** The key of a request; its name is the hash of an API key, and made when it is needed. */
interface SentKey extends Pick<ClaimedKey, 'mayBeNew'> {
  name(): string;
}

function keyOf({ headers }: IncomingMessage): SentKey | null {
  const apiKey = headers['api-key'];
  if (typeof apiKey === 'string') {
    return { name: () => keyNames.api(hashKey(apiKey)), mayBeNew: mayBeOfWorld.apiKey(apiKey) };
  }
  const claim = parseAuthorization(headers.authorization);
  if (claim === null) return null;
  const key = claim.key.toLowerCase();
  return { name: () => keyNames.application(key), mayBeNew: mayBeOfWorld.application(key) };
}
