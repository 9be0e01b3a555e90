import type { Caller } from '../accounts/caller.ts';
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
  /** By which way the request came, for the history of numbers; the interface itself when left out. */
  readonly method?: DidMethod;
}

/** The caller of an account-owned type; the engine never runs one without. */
export function callerOf(context: PlatformContext): Caller {
  if (!context.caller) throw new Error('this operation needs a caller');
  return context.caller;
}

export const methodOf = (context: PlatformContext): DidMethod => context.method ?? 'api3';
