/** What came with a call that is forwarded, as far as a `div` PASSporT may follow it (RFC 8946 4). */
import { divertedTo } from './diversions.ts';
import { IdentityError } from './identity-error.ts';
import { type CallFacts, readIdentity, type SignedPassport } from './identity-header.ts';

/**
 * Whether one of the headers is for this caller and, over the forwardings among them, for the number that was called.
 * Signatures are not checked here: whoever rings the phone checks all of them.
 */
export function leadsHere(headers: readonly string[], call: CallFacts): boolean {
  const signed = headers.slice(0, mostHeaders).flatMap((header): SignedPassport[] => {
    try {
      return [readIdentity(header, call)];
    } catch (error) {
      if (error instanceof IdentityError) return [];
      throw error;
    }
  });
  const { orig } = call;
  if (!('tn' in orig)) return false;
  const diversions = signed.filter(({ passport }) => passport.ppt === 'div');
  return signed.some(
    (base) =>
      base.passport.ppt !== 'div' &&
      'tn' in base.passport.orig &&
      base.passport.orig.tn === orig.tn &&
      divertedTo(base, diversions, call.dest) !== null,
  );
}

/** As many as a verifier looks at. */
const mostHeaders = 8;
