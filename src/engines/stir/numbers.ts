/** Telephone numbers as PASSporTs have them: digits alone (RFC 8224 8.3). */

/** Longest dial string that is worth comparing; E.164 allows 15 digits. */
const longest = 32;

/** Null if the text is no number. `#` and `*` stay, as in the RFC. */
export function canonicalNumber(text: string): string | null {
  if (text.length > 2 * longest) return null;
  const plain = text.replace(/[-.()\s]/g, '').replace(/^\+/, '');
  return /^[\d#*]{1,32}$/.test(plain) ? plain : null;
}

export function isSameNumber(one: string, other: string): boolean {
  const canonical = canonicalNumber(one);
  return canonical !== null && canonical === canonicalNumber(other);
}
