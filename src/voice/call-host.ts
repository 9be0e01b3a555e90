/** What carries calls: the process they belong to, and the port through which a call's legs are told to end. */
import type { Environment } from '../environment.ts';
import type { Disconnect } from './call.ts';

/** The legs of one call, as the engine sees them. SIP implements it, and the simulator. */
export interface Legs {
  /** The call was ended elsewhere (a hang-up through another process, a deleted trunk, the reaper): take the legs down. */
  hangUp(disconnect: Disconnect): void;
}

/** One process in one environment. */
export interface CallHost {
  readonly env: Environment;
  readonly workerId: string;
  /** Called when events of an account have been committed. */
  onEvents(accountId: string): void;
  /** From now on these legs hear when the call is ended elsewhere; the returned function ends that. */
  carry(callId: string, legs: Legs): () => void;
}
