/**
 * Bencode, the notation of rtpengine's control protocol: writes dictionaries, and reads them within bounds. Each
 * character of a text is one byte.
 */

export type Bencoded = number | string | readonly Bencoded[] | { readonly [key: string]: Bencoded };

/** What is read of an answer at most: a call has a few hundred values. */
const mostValues = 50_000;
const deepest = 20;

export function bencode(value: Bencoded): string {
  if (typeof value === 'number') return `i${value}e`;
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (isList(value)) return `l${value.map(bencode).join('')}e`;
  const members = Object.entries(value).map(([key, member]) => bencode(key) + bencode(member));
  return `d${members.join('')}e`;
}

const isList = (value: Bencoded): value is readonly Bencoded[] => Array.isArray(value);

/** Throws a `SyntaxError` for bytes that are not one whole value. */
export function bdecode(bytes: Buffer): Bencoded {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #values = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(depth: number): Bencoded {
    this.#values += 1;
    if (depth > deepest || this.#values > mostValues) throw new SyntaxError('too much in one answer');
    const mark = this.#mark();
    if (mark === 'd') return this.#dictionary(depth);
    if (mark === 'l') return this.#list(depth);
    if (mark === 'i') return this.#number('e');
    this.#at -= 1;
    return this.#text();
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new SyntaxError('more than one value');
  }

  #dictionary(depth: number): Bencoded {
    const members: [string, Bencoded][] = [];
    while (!this.#isClosed()) members.push([this.#text(), this.value(depth + 1)]);
    return Object.fromEntries(members);
  }

  #list(depth: number): Bencoded {
    const values: Bencoded[] = [];
    while (!this.#isClosed()) values.push(this.value(depth + 1));
    return values;
  }

  #text(): string {
    const length = this.#number(':');
    const from = this.#at;
    this.#at += length;
    if (length < 0 || this.#at > this.#bytes.length) throw new SyntaxError('a text that is cut off');
    return this.#bytes.toString('latin1', from, this.#at);
  }

  #number(end: ':' | 'e'): number {
    const until = this.#bytes.indexOf(end, this.#at);
    const digits = until < 0 ? '' : this.#bytes.toString('latin1', this.#at, Math.min(until, this.#at + 20));
    if (!/^-?\d{1,18}$/.test(digits)) throw new SyntaxError('not a number');
    this.#at = until + 1;
    return Number(digits);
  }

  #isClosed(): boolean {
    if (this.#mark() === 'e') return true;
    this.#at -= 1;
    return false;
  }

  #mark(): string {
    const mark = this.#bytes[this.#at];
    if (mark === undefined) throw new SyntaxError('cut off');
    this.#at += 1;
    return String.fromCharCode(mark);
  }
}
