/** What a call page says of the signature with which a call went to a carrier (STIR/SHAKEN). */

const texts = {
  A: 'A: the number is the account’s own',
  B: 'B: the account is known, the number is not one of its own',
  C: 'C: the call came from elsewhere',
  div: 'as it came, and as forwarded',
};

interface SignedCall {
  signed_as: keyof typeof texts | null;
  signed_origid?: string | null;
}

/** Null for a call that was not signed. */
export function signatureOf({ signed_as: as, signed_origid: origin = null }: SignedCall): string | null {
  if (as === null) return null;
  return origin === null ? texts[as] : `${texts[as]} (origin ${origin})`;
}
