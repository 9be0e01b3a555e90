/** What making a world is asked for, goes through and returns. */
import type { Credentials } from './credentials.ts';

export interface NewWorld {
  accountId: string;
  /** `empty`, `demo`, `current`, or the name of a snapshot. */
  from: string;
  name: string | null;
  /** With SIP on a port of its own. */
  sip?: boolean;
}

export interface MadeWorld extends Pick<Credentials, 'apiKey' | 'application'> {
  readonly id: string;
  readonly now: Date;
  readonly sipPort: number | null;
}

/** A world before it is opened. */
export interface TakenWorld {
  readonly id: string;
  /** How far its clock is ahead of the machine's; null: only its database knows. */
  readonly clockOffsetMs: number | null;
  /** Whose clones are kept ready. */
  readonly template: string | null;
}

/** What a world is cloned from. */
export interface Origin {
  readonly template: string;
  readonly clockOffsetMs: number | null;
  readonly whole: boolean;
}
