/**
 * How one attempt is dialled: what is sent to whom, and what is relayed. Made of the settings of a trunk or of a
 * carrier.
 */
import type { LegSettings } from '../../engines/media/media-engine.ts';
import type { Account } from '../../engines/sip/digest/client.ts';
import type { Target } from '../../engines/sip/transport/wire.ts';
import type { HeaderLine } from './headers.ts';
import type { KeyPressFormat } from './key-presses.ts';
import type { NoTarget } from './targets.ts';

/** In words, for `Reason`, traces and CDRs. */
export type MediaRefusal = string;

export interface DialPlan {
  /** Request-URI, From and To, already cleaned. */
  uri: string;
  from: string;
  to: string;
  headers: readonly HeaderLine[];
  /** The signature of the caller's number. Made when the leg is placed, since it counts for a minute only. */
  identity?(): Promise<readonly HeaderLine[]>;
  /** The Path of a registration that came through an edge. */
  routes?: readonly string[];
  /** Looked up when the attempt begins. */
  findTargets(): Promise<readonly Target[] | NoTarget>;
  account: Account | null;
  /** A target that sends nothing within this time is given up. */
  noResponseMs: (targets: number) => number;
  ringingMs: number;
  reliable: 'off' | 'supported' | 'required';
  /** Seconds of session timers that are asked for; null for none. */
  expires: number | null;
  /** How the media engine treats the media of this leg. */
  media: LegSettings;
  /** Changes an offer or answer on its way to this leg; or says why it cannot be sent there: 488. */
  toPeer(sdp: Buffer): Buffer | MediaRefusal;
  /** How key presses are sent to this leg; as they came if it is missing. */
  keyPresses?: KeyPressFormat;
  /** How those in INFO from this leg are passed on; as they came if it is missing. */
  receivedKeyPresses?: KeyPressFormat;
  /** Why media described by the peer are not acceptable; null if they are. */
  refusalFromPeer(sdp: Buffer): MediaRefusal | null;
  /** Whether the R-URI gets the address that was found instead of the name. */
  resolveUri: boolean;
  mostRedirects: number;
  mostTransfers: number;
  /** Whether the next plan of the same attempt is tried after this status. */
  triesNext(status: number): boolean;
}

/** The ways to dial an attempt, tried one round after another; the plans of one round ring together. */
export type Rounds = readonly (readonly DialPlan[])[];
