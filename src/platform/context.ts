import type { Caller } from '../accounts/caller.ts';
import type { Environment } from '../environment.ts';
import type { EngineContext } from '../jsonapi/resource.ts';

/** A request to `/v3`: the engine's needs, plus the environment it works in and who asks. */
export interface PlatformContext extends EngineContext {
  readonly env: Environment;
  /** Null only on types that are open to everyone. */
  readonly caller: Caller | null;
}

/** The caller of an account-owned type; the engine never runs one without. */
export function callerOf(context: PlatformContext): Caller {
  if (!context.caller) throw new Error('this operation needs a caller');
  return context.caller;
}
