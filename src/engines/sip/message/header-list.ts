/**
 * The headers of a message in their order. Names are found in any spelling; values set by code are cleaned of line
 * breaks.
 */
import { type HeaderName, headerName } from './header-names.ts';
import { limits } from './limits.ts';
import { badRequest } from './sip-error.ts';
import { cleanText, code, isToken, splitOutside } from './text.ts';

interface Header {
  name: HeaderName;
  value: string;
}

export class HeaderList {
  readonly #headers: Header[] = [];

  get size(): number {
    return this.#headers.length;
  }

  /** The whole value of the first line with this name. */
  first(name: string): string | undefined {
    const { key } = headerName(name);
    for (const header of this.#headers) if (header.name.key === key) return header.value;
    return undefined;
  }

  /** All values in order; lines of a comma-separated header are taken apart. */
  all(name: string): string[] {
    const { key, list } = headerName(name);
    const values: string[] = [];
    for (const header of this.#headers) {
      if (header.name.key !== key) continue;
      if (!list || !header.value.includes(',')) values.push(header.value);
      else values.push(...splitOutside(header.value, code.comma, limits.listValues).filter((value) => value !== ''));
      if (values.length > limits.listValues) throw badRequest(`Too many ${name} values`);
    }
    return values;
  }

  /** The first value, of a comma-separated header without the others. */
  firstOfList(name: string): string | undefined {
    const value = this.first(name);
    return value?.includes(',') ? splitOutside(value, code.comma, limits.listValues)[0] : value;
  }

  has(name: string): boolean {
    return this.first(name) !== undefined;
  }

  /**
   * Whether a list of words (Supported, Require, Allow) has this one. Words are not quoted, so nothing in it can be
   * malformed.
   */
  lists(name: string, word: string): boolean {
    const { key } = headerName(name);
    const wanted = word.toLowerCase();
    return this.#headers.some(
      (header) =>
        header.name.key === key &&
        header.value
          .toLowerCase()
          .split(',')
          .some((each) => each.trim() === wanted),
    );
  }

  lines(name: string): number {
    const { key } = headerName(name);
    return this.#headers.filter((header) => header.name.key === key).length;
  }

  /** Replaces all lines of this name by one, in the place of the first. */
  set(name: string, value: string): void {
    const header = checkedName(name);
    const at = this.#headers.findIndex((other) => other.name.key === header.key);
    this.remove(name);
    this.#headers.splice(at < 0 ? this.#headers.length : at, 0, { name: header, value: cleanText(value) });
  }

  add(name: string, value: string): void {
    this.#headers.push({ name: checkedName(name), value: cleanText(value) });
  }

  addAll(name: string, values: readonly string[]): void {
    for (const value of values) this.add(name, value);
  }

  /** Puts a line before all others of this name, and before all headers if there is none: the way of Via. */
  prepend(name: string, value: string): void {
    const header = checkedName(name);
    const at = this.#headers.findIndex((other) => other.name.key === header.key);
    this.#headers.splice(Math.max(at, 0), 0, { name: header, value: cleanText(value) });
  }

  /** Replaces the first value of a comma-separated header, or removes it when `value` is null. */
  replaceFirst(name: string, value: string | null): void {
    const [, ...others] = this.all(name);
    const values = value === null ? others : [value, ...others];
    const { key } = headerName(name);
    const at = this.#headers.findIndex((header) => header.name.key === key);
    this.remove(name);
    const lines = values.map((each): Header => ({ name: headerName(name), value: cleanText(each) }));
    this.#headers.splice(Math.max(at, 0), 0, ...lines);
  }

  remove(name: string): void {
    const { key } = headerName(name);
    for (let at = this.#headers.length - 1; at >= 0; at--) {
      if (this.#headers[at]?.name.key === key) this.#headers.splice(at, 1);
    }
  }

  /** Adds a line read from the network: it cannot contain a line break. */
  addParsed(name: HeaderName, value: string): void {
    this.#headers.push({ name, value });
  }

  /** Copies all lines of a header. */
  copy(from: HeaderList, name: string): void {
    const { key } = headerName(name);
    for (const header of from.#headers) if (header.name.key === key) this.#headers.push(header);
  }

  clone(): HeaderList {
    const copy = new HeaderList();
    copy.#headers.push(...this.#headers);
    return copy;
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const { name, value } of this.#headers) yield [name.name, value];
  }

  /** The first name that must stand once and stands more often. */
  repeated(): string | null {
    const seen = new Set<HeaderName>();
    for (const { name } of this.#headers) {
      if (!name.single) continue;
      if (seen.has(name)) return name.name;
      seen.add(name);
    }
    return null;
  }
}

function checkedName(name: string): HeaderName {
  const header = headerName(name);
  if (!isToken(header.key)) throw new TypeError('not a header name');
  return header;
}
