/** How much one request may bring and one response may hold, where the contract states no limit of its own. */
import type { Facts } from './facts.ts';

/** Characters of a text. */
const longestText = 255;
/** Characters of a comment or a note that people write. */
export const longestFreeText = 10_000;
/** Entries of a list attribute, and records that one request may link to in a to-many relationship. */
export const mostItems = 1_000;
export const mostLinks = 1_000;
/** Values of one filter's comma list. */
export const mostFilterValues = 1_000;

/** Related records that `include` may bring, each counted once for every record it is related to. */
export const mostIncluded = 10_000;
/** Identifiers in the linkage of one to-many relationship, which has no pages. */
export const mostLinkage = 50_000;
/** Bytes of a response to a read. */
export const largestResponse = 16 * 1024 * 1024;

/** The most characters that may be written; null for what is bounded by its allowed values. */
export function longestOf({ maxLength, textLimit, enum: allowed }: Partial<Facts>): number | null {
  if (maxLength !== undefined) return maxLength;
  return allowed ? null : (textLimit ?? longestText);
}

/** Counted in characters as people see them in the message, not in UTF-16 units. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}
