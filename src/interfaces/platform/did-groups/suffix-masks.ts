/** Bit masks for a search by digits: which numbers of a thousands-block contain the digits. */

/** A thousands-block has a thousand suffixes: the last three digits of its numbers. */
export const suffixCount = 1000;
const suffixDigits = 3;

interface SuffixMasks {
  /** Suffixes that contain all the digits; null if there are too many digits. */
  inside: string | null;
  /** Longest head first: the suffixes that complete the digits if the block's base ends with this head. */
  crossing: { head: string; mask: string }[];
}

/**
 * Where `digits` can occur in base + suffix: in the base (checked by the caller), in the suffix, or across the
 * boundary, with a head in the base and the rest in the suffix. A base that ends with one head may end with shorter
 * ones too; that follows from the digits alone, so each head's mask includes theirs. Masks are bit strings, suffix 000
 * first.
 */
export function suffixMasks(digits: string): SuffixMasks {
  const inside = (suffix: string) => digits.length <= suffixDigits && suffix.includes(digits);
  const heads: string[] = [];
  for (let rest = 1; rest <= Math.min(suffixDigits, digits.length - 1); rest += 1) heads.push(digits.slice(0, -rest));
  return {
    inside: digits.length <= suffixDigits ? maskOf(inside) : null,
    crossing: heads.map((head) => {
      const tails = heads.filter((other) => head.endsWith(other)).map((other) => digits.slice(other.length));
      return { head, mask: maskOf((suffix) => inside(suffix) || tails.some((tail) => suffix.startsWith(tail))) };
    }),
  };
}

/**
 * The possible last three digits of a base if the digits cross its end or end with it; null if any base is possible
 * because a suffix can contain all the digits.
 */
export function possibleTails(digits: string): number[] | null {
  if (digits.length <= suffixDigits) return null;
  const ends = [digits, ...suffixMasks(digits).crossing.map(({ head }) => head)].map((head) =>
    head.slice(-suffixDigits),
  );
  const tails = Array.from({ length: suffixCount }, (_, tail) => String(tail).padStart(suffixDigits, '0'));
  return tails.filter((tail) => ends.some((end) => tail.endsWith(end))).map(Number);
}

function maskOf(holds: (suffix: string) => boolean): string {
  let mask = '';
  for (let suffix = 0; suffix < suffixCount; suffix += 1)
    mask += holds(String(suffix).padStart(suffixDigits, '0')) ? '1' : '0';
  return mask;
}
