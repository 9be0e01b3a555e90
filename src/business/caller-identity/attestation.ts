/** How well we know the caller of a call that we sign (RFC 8588, ATIS-1000074): the rule for each kind of call. */
import type { Attestation } from '../../engines/stir/passport.ts';

export type CallOrigin =
  /** A customer's call; `ownsNumber`: the number it shows is one of the customer's, which we have assigned. */
  | { readonly kind: 'customer'; readonly ownsNumber: boolean }
  /** A call of this environment itself, such as a spoken code. */
  | { readonly kind: 'house' }
  /** A call that a carrier brought without a signature, and that is forwarded. */
  | { readonly kind: 'elsewhere' };

export function attestationOf(origin: CallOrigin): Attestation {
  switch (origin.kind) {
    case 'customer':
      return origin.ownsNumber ? 'A' : 'B';
    case 'house':
      return 'A';
    case 'elsewhere':
      return 'C';
  }
}
