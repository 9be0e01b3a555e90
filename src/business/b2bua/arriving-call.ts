/** A call that has arrived and is not bridged yet, as both directions see it. */
import type { IncomingCall } from '../../engines/sip/dialog/incoming-call.ts';
import type { Peer } from '../../engines/sip/transport/wire.ts';
import type { VerifyCaller } from '../caller-identity/verifier.ts';
import type { createRouteFinder } from '../voice/carriers/find-routes.ts';
import type { Moment } from '../voice/moment.ts';
import type { Voice } from '../voice/voice.ts';
import type { Authentication } from './authentication.ts';
import type { BridgeOptions } from './bridge-options.ts';
import type { SipEndpoint } from './endpoint.ts';
import type { HeaderLine } from './headers.ts';
import type { Registrations } from './registrations.ts';
import type { SandboxRoutes } from './sandbox-routes.ts';

/** A call that has just arrived, with what both directions need to take it. */
export interface ArrivingCall {
  endpoint: SipEndpoint;
  voice: Voice;
  caller: IncomingCall;
  /** Where the INVITE came from; behind an edge, what the edge says. */
  source: Peer;
  /** When the INVITE was read. */
  at: Moment;
  authentication: Authentication;
  registrations: Registrations;
  findRoutes: ReturnType<typeof createRouteFinder>;
  /** Where a customer's call goes that no carrier takes; null where it goes nowhere. */
  sandboxRoutes: SandboxRoutes | null;
  /** Null while an operator has named no authorities. */
  verifyCaller: VerifyCaller | null;
  /** Refuses the call: the response has the text in its Reason header, and the taps hear of it. */
  refuse(refusal: CallRefusal): void;
  /** A routing decision, for traces. */
  note(text: string): void;
  /** Bridges the call; what is left of `BridgeOptions` is known here. */
  bridge(options: Omit<BridgeOptions, 'endpoint' | 'caller' | 'findReplaced' | 'settled' | 'ended'>): Promise<void>;
}

export interface CallRefusal {
  code: number;
  reason: string;
  text: string;
  headers?: readonly HeaderLine[];
}
