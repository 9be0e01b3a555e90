/** The process that carries calls, and the port through which it ends the legs of a call. */
import type { Environment } from '../environment.ts';
import type { Disconnect } from './call.ts';

/** The legs of one call. Implemented by the simulator, and later by SIP. */
export interface Legs {
  /** Ends the legs: the call was ended elsewhere (hang-up through another process, deleted trunk, reaper). */
  hangUp(disconnect: Disconnect): void;
}

/** One process in one environment. */
export interface CallHost {
  readonly env: Environment;
  readonly workerId: string;
  /** Called when events of an account have been committed. */
  onEvents(accountId: string): void;
  /** Registers the legs to be hung up if the call is ended elsewhere. Returns a function that unregisters them. */
  carry(callId: string, legs: Legs): () => void;
}
