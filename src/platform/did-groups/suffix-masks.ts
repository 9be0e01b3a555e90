/** A thousands-block has a thousand suffixes: the last three digits of its numbers. */
export const SUFFIXES = 1000;
const DIGITS = 3;

export interface SuffixMasks {
  /** Suffixes that contain the digits by themselves; null when the digits are too many for that. */
  inside: string | null;
  /** Longest head first: the suffixes that have the digits when the block's base ends with this head. */
  crossing: { head: string; mask: string }[];
}

/**
 * Where `digits` can stand in base + suffix: wholly in the base (the caller's business), wholly in the suffix, or
 * across the border, with a head in the base and the rest in the suffix. A base that ends with one head may end with
 * shorter ones too; which ones is known from the digits alone, so each head's mask already holds theirs. Masks are bit
 * strings, suffix 000 first.
 */
export function suffixMasks(digits: string): SuffixMasks {
  const inside = (suffix: string) => digits.length <= DIGITS && suffix.includes(digits);
  const heads: string[] = [];
  for (let rest = 1; rest <= Math.min(DIGITS, digits.length - 1); rest += 1) heads.push(digits.slice(0, -rest));
  return {
    inside: digits.length <= DIGITS ? maskOf(inside) : null,
    crossing: heads.map((head) => {
      const tails = heads.filter((other) => head.endsWith(other)).map((other) => digits.slice(other.length));
      return { head, mask: maskOf((suffix) => inside(suffix) || tails.some((tail) => suffix.startsWith(tail))) };
    }),
  };
}

/**
 * The last three digits a base can have when the digits cross its end or end with it; null when any base can have
 * numbers with the digits, because a suffix can hold them all.
 */
export function possibleTails(digits: string): number[] | null {
  if (digits.length <= DIGITS) return null;
  const ends = [digits, ...suffixMasks(digits).crossing.map(({ head }) => head)].map((head) => head.slice(-DIGITS));
  const tails = Array.from({ length: SUFFIXES }, (_, tail) => String(tail).padStart(DIGITS, '0'));
  return tails.filter((tail) => ends.some((end) => tail.endsWith(end))).map(Number);
}

function maskOf(holds: (suffix: string) => boolean): string {
  let mask = '';
  for (let suffix = 0; suffix < SUFFIXES; suffix += 1) mask += holds(String(suffix).padStart(DIGITS, '0')) ? '1' : '0';
  return mask;
}
