/** What a bridge needs of the call it carries: the caller, the engine's call, and how its attempts are dialled. */
import type { CallQuality, LegSettings } from '../../engines/media/media-engine.ts';
import type { IncomingCall } from '../../engines/sip/dialog/incoming-call.ts';
import type { Call, Disconnect } from '../voice/call.ts';
import type { AnsweredLeg, Failure } from '../voice/live-call.ts';
import type { Legs } from '../voice/ports.ts';
import type { Rounds } from './dial-plan.ts';
import type { SipEndpoint } from './endpoint.ts';
import type { ReplacedCall } from './replaced-call.ts';

/** A `LiveCall` of either direction. */
interface DrivenCall {
  readonly call: Call;
  carriedBy(legs: Legs): void;
  ringing(options: { earlyMedia: boolean }): void;
  answered(at: Date, leg: AnsweredLeg): Promise<boolean>;
  attemptFailed(failure: Failure, at: Date): Promise<'rerouted' | 'ended'>;
  /** `heard`: what was heard of both sides, which its end waits for; null if nothing was. */
  end(disconnect: Disconnect, at: Date, heard?: Promise<CallQuality | null>): Promise<unknown>;
  readonly paidSeconds: number | null;
  extend(): Promise<Disconnect | null>;
  /** What happened to the media, in words; `internal` is for the operator only. */
  note(text: string, options?: { internal?: boolean }): void;
}

export interface BridgeOptions {
  endpoint: SipEndpoint;
  caller: IncomingCall;
  live: DrivenCall;
  /** How the media engine treats the media of the caller. */
  callerMedia: LegSettings;
  /** The ways to dial the current attempt, or why it cannot be dialled. */
  plan(): Promise<Rounds | Failure>;
  /** Another call of the same account that the value of a Replaces names (RFC 3891). */
  findReplaced(replaces: string): ReplacedCall | null;
  /** Called when the call is answered, and when it has ended. */
  settled(): void;
  /** Called once, when the call has ended. */
  ended(): void;
}
