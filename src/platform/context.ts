import type { Actor, Caller } from '../accounts/caller.ts';
import type { DidMethod } from '../db/tables/dids.ts';
import type { Environment } from '../environment.ts';
import type { EngineContext } from '../jsonapi/resource.ts';

/** A request to `/v3`: the engine's needs, plus the environment it works in and who asks. */
export interface PlatformContext extends EngineContext {
  readonly env: Environment;
  /** Null only on types that are open to everyone. */
  readonly caller: Caller | null;
  /** A repeated request with the same key is answered as the first was. */
  readonly idempotencyKey?: string | null;
}

/** The caller of an account-owned type; the engine never runs one without. */
export function callerOf(context: PlatformContext): Caller {
  if (!context.caller) throw new Error('this operation needs a caller');
  return context.caller;
}

/** How the history of numbers names the way a request came. */
export const methodOf = (context: PlatformContext): DidMethod => methods[callerOf(context).actor.kind];

const methods: Readonly<Record<Actor['kind'], DidMethod>> = {
  api_key: 'api3',
  session: 'user_panel',
  operator: 'staff',
  job: 'system',
};
