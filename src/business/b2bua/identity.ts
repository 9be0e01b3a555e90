/** Who calls whom, as an INVITE says it: numbers, names, privacy, diversions. */
import type { SipRequest } from '../../engines/sip/message/message.ts';
import { type NameAddress, parseNameAddress } from '../../engines/sip/message/name-address.ts';
import { SipError } from '../../engines/sip/message/sip-error.ts';
import { decodeEscapes, isSipUri, parseUri } from '../../engines/sip/message/uri.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import type { Peer } from '../../engines/sip/transport/wire.ts';
import { canonicalNumber } from '../../engines/stir/numbers.ts';
import type { Originator } from '../../engines/stir/passport.ts';
import type { Moment } from '../voice/moment.ts';

export interface Caller {
  /** Digits without a `+`, a SIP user, or `anonymous`. */
  number: string;
  name: string | null;
  /** The caller asks not to be shown (RFC 3323). */
  isPrivate: boolean;
}

/** A number without its `+` and visual separators; any other user as it is. Null if there is no user. */
export function numberOf(uri: string): string | null {
  const user = userOf(uri);
  if (user === null || user === '') return null;
  const plain = user.replace(/[-.()]/g, '');
  return /^\+?\d+$/.test(plain) ? plain.replace(/^\+/, '') : user;
}

/** As `numberOf`, with `+` and `#` as dialled: for tech prefixes. */
export function dialledOf(uri: string): string | null {
  return userOf(uri);
}

/** Longer than any number or user of a peer that means well. */
const longestUser = 128;

/**
 * Without the parameters that a telephone subscriber has in the user part (`;phone-context=…`). What cannot be read, or
 * has characters that no database takes, counts as none.
 */
function userOf(uri: string): string | null {
  const parsed = readUri(uri);
  if (parsed === null) return null;
  const text = isSipUri(parsed) ? parsed.user : parsed.scheme === 'tel' ? parsed.text.slice(4) : null;
  const user = text === null ? null : decodeEscapes(text.split(';')[0] ?? '');
  return user === null || user.length > longestUser || hasControls(user) ? null : user;
}

function readUri(uri: string): ReturnType<typeof parseUri> | null {
  try {
    return parseUri(uri);
  } catch (error) {
    if (!(error instanceof SipError)) throw error;
    return null;
  }
}

const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);

/** P-Asserted-Identity counts from trusted sources only; a stranger could write anything into it. */
export function callerOf(request: SipRequest, isTrusted: boolean): Caller {
  const asserted = isTrusted ? identityIn(request, 'P-Asserted-Identity') : null;
  const shown = asserted ?? request.from;
  const privacy = request.headers.all('Privacy').flatMap((value) => value.toLowerCase().split(/[;,\s]+/));
  const isPrivate = privacy.some((word) => word === 'id' || word === 'user' || word === 'full' || word === 'header');
  const number = isPrivate ? null : numberOf(shown.uri);
  const isAnonymous = number === null || number.toLowerCase() === 'anonymous';
  const name = request.from.displayName
    .replace(/\p{Cc}/gu, '')
    .slice(0, longestUser)
    .toWellFormed()
    .trim();
  return {
    number: isAnonymous ? 'anonymous' : number,
    name: isAnonymous || name === '' || name.toLowerCase() === 'anonymous' ? null : name,
    isPrivate: isPrivate || isAnonymous,
  };
}

/** The caller as a signature names it, also one who is not to be shown; from trusted sources. */
export function signedCaller(request: SipRequest): Originator {
  const { uri } = identityIn(request, 'P-Asserted-Identity') ?? request.from;
  const tn = canonicalNumber(numberOf(uri) ?? '');
  return tn === null ? { uri: uri.replace(/;.*/s, '') } : { tn };
}

/** The number that a customer presents: that of From, or of an asserted or preferred identity if From hides it. */
export function presentedNumber(request: SipRequest): string {
  const shown = numberOf(request.from.uri);
  if (shown !== null && /^\d+$/.test(shown)) return shown;
  const hidden = identityIn(request, 'P-Asserted-Identity') ?? identityIn(request, 'P-Preferred-Identity');
  return (hidden && numberOf(hidden.uri)) ?? shown ?? 'anonymous';
}

function identityIn(request: SipRequest, header: string): NameAddress | null {
  for (const value of request.headers.all(header)) {
    try {
      const address = parseNameAddress(value);
      if (numberOf(address.uri) !== null) return address;
    } catch (error) {
      // A damaged identity is none; the call is not lost for it.
      if (!(error instanceof SipError)) throw error;
    }
  }
  return null;
}

/** Numbers of the diversions, the last one first as they stand in the message. */
export function diversionsOf(request: SipRequest): string[] {
  return request.headers.all('Diversion').flatMap((value) => {
    try {
      return numberOf(parseNameAddress(value).uri) ?? [];
    } catch (error) {
      if (!(error instanceof SipError)) throw error;
      return [];
    }
  });
}

/** What a list of refusals shows of a request. */
export const refusedRequest = ({ request }: ServerTransaction, remote: Peer, at: Moment) => ({
  ...{ at, remote, method: request.method, callId: request.callId },
  ...{ from: request.from.uri, to: request.uri, userAgent: userAgentOf(request) },
});

/** How the sender's equipment names itself; cut to what is worth storing. */
export function userAgentOf(request: SipRequest): string | null {
  return request.headers.first('User-Agent')?.slice(0, 255).toWellFormed() ?? null;
}
