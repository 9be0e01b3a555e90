/**
 * Where callers' names come from. A provider is one file beside this one, and a line in `names-of.ts`; caching, the
 * time limit and what is charged are not its business.
 */
export interface NameProvider {
  /** Shown in traces and logs. */
  readonly name: string;
  /** Whether its names are kept for a while, so that it is not asked for every call. */
  readonly isCached: boolean;
  /**
   * `number` has the digits of the caller. Returns null if no name is known for it; rejects if the provider cannot say,
   * and when `signal` is aborted, because its time is over.
   */
  nameOf(number: string, signal: AbortSignal): Promise<string | null>;
}

/** Longest name that is passed on; SIP has no limit of its own, the telephone network has 15. */
const longestName = 80;

/** A name as it may be shown: without control characters, which could end a header. Null if nothing is left. */
export function cleanName(text: string): string | null {
  const name = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return [...name].slice(0, longestName).join('').trim() || null;
}
