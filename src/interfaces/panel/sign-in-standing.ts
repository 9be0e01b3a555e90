/** What the failures of one subject say about the next attempt: how long it has to wait. */
const firstWaitSeconds = 30;
const longestWaitSeconds = 900;

/** What failures are counted for: a login, a client's address, or both together. */
export interface Counted {
  subject: Buffer;
  /** Failures from which on one has to wait. */
  limit: number;
}

export interface Standing {
  /** Seconds; not positive if there is nothing to wait for. */
  wait: number;
  /** If this attempt fails, the next one has to wait. */
  isLast: boolean;
}

/** How long after its last failure a subject has to wait. */
export function waitAfter(failures: number, limit: number): number {
  return failures < limit ? 0 : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** Math.min(failures - limit, 10));
}

export function standingOf(
  { subject, limit }: Counted,
  rows: readonly { subject: Buffer; failures: number; last_at: Date }[],
  now: Date,
): Standing {
  const row = rows.find((each) => each.subject.equals(subject));
  const failures = Number(row?.failures ?? 0);
  const passed = row === undefined ? 0 : (now.getTime() - row.last_at.getTime()) / 1000;
  return { wait: Math.ceil(waitAfter(failures, limit) - passed), isLast: failures + 1 >= limit };
}
