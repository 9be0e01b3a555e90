/** A thousands-block has a thousand suffixes: the last three digits of its numbers. */
export const SUFFIXES = 1000;
const DIGITS = 3;

export interface SuffixMasks {
  /** Suffixes that contain the digits by themselves; null when the digits are too many for that. */
  inside: string | null;
  /** Suffixes that finish the digits when the block's base ends with their head. */
  crossing: { head: string; mask: string }[];
}

/**
 * Where `digits` can stand in base + suffix: wholly in the base (the caller's business), wholly in the suffix, or
 * across the border, with a head in the base and the rest in the suffix. Masks are bit strings, suffix 000 first.
 */
export function suffixMasks(digits: string): SuffixMasks {
  const crossing = [];
  for (let rest = 1; rest <= Math.min(DIGITS, digits.length - 1); rest += 1) {
    const tail = digits.slice(-rest);
    crossing.push({ head: digits.slice(0, -rest), mask: maskOf((suffix) => suffix.startsWith(tail)) });
  }
  return { inside: digits.length <= DIGITS ? maskOf((suffix) => suffix.includes(digits)) : null, crossing };
}

function maskOf(holds: (suffix: string) => boolean): string {
  let mask = '';
  for (let suffix = 0; suffix < SUFFIXES; suffix += 1) mask += holds(String(suffix).padStart(DIGITS, '0')) ? '1' : '0';
  return mask;
}
