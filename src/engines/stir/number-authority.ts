/** What numbers a certificate speaks for: the TNAuthList extension (RFC 8226 9). */
import { derTag, derValues, extensionOf } from './der.ts';
import { IdentityError } from './identity-error.ts';

/** 1.3.6.1.5.5.7.1.26 */
const extension = '2b0601050507011a';

export interface NumberAuthority {
  /** Codes of service providers: such a certificate may sign for any number, which is how SHAKEN uses it. */
  readonly providers: readonly string[];
  /** Whether one of its providers, ranges or numbers covers this number. */
  covers(number: string): boolean;
}

/** Longest list that is read; a carrier's has one entry. */
const mostEntries = 10_000;

/** Null if the certificate has no such list. */
export function numberAuthorityOf(certificate: Buffer): NumberAuthority | null {
  try {
    const content = extensionOf(certificate, extension);
    return content === null ? null : read(content);
  } catch (error) {
    if (error instanceof RangeError) throw new IdentityError('the list of numbers in the certificate is not readable');
    throw error;
  }
}

function read(content: Buffer): NumberAuthority {
  const [list] = derValues(content);
  const entries = list ? derValues(list.body) : [];
  if (entries.length > mostEntries) throw new RangeError('too many entries');
  const providers: string[] = [];
  const numbers = new Set<string>();
  const ranges: { first: bigint; last: bigint; length: number }[] = [];
  for (const { tag, body } of entries) {
    const [inner] = derValues(body);
    if (inner === undefined) continue;
    if (tag === 0xa0) providers.push(inner.body.toString('latin1'));
    else if (tag === 0xa2) numbers.add(inner.body.toString('latin1'));
    else if (tag === 0xa1) ranges.push(rangeIn(inner.body));
  }
  const inRange = (number: string) =>
    /^\d+$/.test(number) &&
    ranges.some(
      ({ first, last, length }) => number.length === length && BigInt(number) >= first && BigInt(number) <= last,
    );
  return {
    providers,
    covers: (number) => providers.length > 0 || numbers.has(number) || inRange(number),
  };
}

/** The first number and how many there are. */
function rangeIn(body: Buffer) {
  const [start, count] = derValues(body);
  const first = start?.body.toString('latin1') ?? '';
  if (start?.tag !== derTag.ia5 || count?.tag !== derTag.integer || !/^\d{1,15}$/.test(first)) {
    throw new RangeError('not a range of numbers');
  }
  const size = BigInt(`0x${count.body.toString('hex') || '0'}`);
  return { first: BigInt(first), last: BigInt(first) + size - 1n, length: first.length };
}
