/**
 * How many worlds there may be, and what is said when there is no room for another. One account may have half of
 * everything.
 */

export interface WorldLimits {
  /** The most worlds at a time; one account may have half of them. */
  readonly most: number;
  /** The most worlds with SIP of their own at a time; 0 where this server has no SIP. */
  readonly mostSip: number;
  /** A world that gets no request for this long ends. */
  readonly idleMs: number;
  /** How many clones of a template are kept ready once it was asked for. */
  readonly ready: number;
  /** The most bytes that all their databases may have on disk. */
  readonly mostBytes: number;
}

/** The limits do not allow another world or snapshot now; the text says which, and what to do. */
export class NoRoomForWorld extends Error {}

export interface WorldCounts {
  readonly all: number;
  /** Those of the account that asks. */
  readonly own: number;
  /** Those with SIP. */
  readonly sip: number;
  readonly ownSip: number;
}

export function requireRoom(counts: WorldCounts, { most, mostSip }: WorldLimits, wantsSip: boolean): void {
  const { all, own, sip, ownSip } = counts;
  if (all >= most) {
    throw new NoRoomForWorld(
      `This sandbox has ${most} worlds, the most it may have; end one, or wait until an idle one ends.`,
    );
  }
  if (own >= Math.ceil(most / 2)) {
    throw new NoRoomForWorld(`This account has ${own} worlds, the most it may have; end one first.`);
  }
  if (wantsSip && sip >= mostSip) {
    throw new NoRoomForWorld(`This sandbox has ${sip} worlds with SIP, the most it may have; end one first.`);
  }
  if (wantsSip && ownSip >= Math.ceil(mostSip / 2)) {
    throw new NoRoomForWorld(`This account has ${ownSip} worlds with SIP, the most it may have; end one first.`);
  }
}

export function requireSpace(bytes: number, { mostBytes }: WorldLimits): void {
  if (bytes < mostBytes) return;
  throw new NoRoomForWorld(
    `The databases of all worlds take the ${mib(mostBytes)} MiB that they may; end a world or drop a snapshot.`,
  );
}

/** `bytes` are those of the account that asks. */
export function requireShare(bytes: number, { mostBytes }: WorldLimits): void {
  if (bytes < mostBytes / 2) return;
  throw new NoRoomForWorld(
    `The worlds and snapshots of this account take the ${mib(mostBytes / 2)} MiB that they may; end a world or drop a snapshot.`,
  );
}

const mib = (bytes: number): number => Math.round(bytes / 2 ** 20);
