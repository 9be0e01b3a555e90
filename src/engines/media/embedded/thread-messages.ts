/** What passes between the engine and its relay threads: control only, never a packet. */
import type { DtlsIdentity } from '../dtls/certificate.ts';
import type { CallQuality, LegSettings } from '../media-engine.ts';
import type { SharedPorts } from './port-pairs.ts';
import type { LocalAddress } from './relayed-leg.ts';

/** What a thread knows from its beginning. */
export interface ThreadSettings {
  /** From 1; the owner of the ports that it takes. */
  number: number;
  /** Null for whatever ports the system has. */
  ports: SharedPorts | null;
  addresses: readonly LocalAddress[];
  identity: DtlsIdentity;
}

/** Calls and their legs have numbers, given by the engine. */
export type ToThread =
  | { kind: 'leg'; call: number; leg: number; name: string; settings: LegSettings }
  | { kind: 'describe'; id: number; call: number; act: 'offer' | 'answer'; from: number; to: number; sdp: Uint8Array }
  | { kind: 'refused'; call: number; from: number; to: number }
  | { kind: 'drop'; call: number; leg: number }
  | { kind: 'press'; call: number; leg: number; key: string; durationMs: number }
  | { kind: 'quality' | 'close'; id: number; call: number }
  /** Time of the engine's timers has passed. */
  | { kind: 'tick'; ms: number };

export type FromThread =
  | { kind: 'ready' }
  /** The answer to the request of that id. `eventLegs` are those that take key presses now. */
  | { kind: 'described'; id: number; sdp: Uint8Array; eventLegs: readonly number[] }
  | { kind: 'figures'; id: number; quality: CallQuality }
  | { kind: 'failed'; id: number; reason: 'refused' | 'unavailable' | 'broken'; message: string }
  | { kind: 'silent'; call: number; leg: number }
  | { kind: 'key'; call: number; leg: number; key: string; durationMs: number };
