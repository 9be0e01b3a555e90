/** Why an Identity header, a token or a certificate proves nothing, in words that operators and customers read. */

/** `refuted`: it is wrong. `unchecked`: it could not be checked, which says nothing about the caller. */
type Meaning = 'refuted' | 'unchecked';

export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly meaning: Meaning;

  constructor(text: string, meaning: Meaning = 'refuted') {
    super(text);
    this.meaning = meaning;
  }
}
