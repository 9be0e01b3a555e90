/**
 * The key that protects secrets at rest. While it is being replaced there are several: the first one seals, all of them
 * open (docs/upgrade.md).
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';

export class ServerKey {
  readonly #keys: readonly [Buffer, ...Buffer[]];
  readonly #derived = new Map<string, readonly [KeyObject, ...KeyObject[]]>();

  constructor(first: Buffer, ...others: Buffer[]) {
    this.#keys = [first, ...others];
  }

  /** Each purpose has keys of its own; the first of them is for new secrets. */
  derive(info: string): readonly [KeyObject, ...KeyObject[]] {
    const known = this.#derived.get(info);
    if (known !== undefined) return known;
    const one = (key: Buffer) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', info, 32)));
    const [first, ...others] = this.#keys;
    const made = [one(first), ...others.map(one)] as const;
    this.#derived.set(info, made);
    return made;
  }

  /** The first key alone, for what replaces the others. */
  newest(): ServerKey {
    return new ServerKey(this.#keys[0]);
  }

  /** What a database remembers of each key, without learning it. */
  marks(): [string, ...string[]] {
    const mark = (key: Buffer) => createHmac('sha256', key).update('trunkline server key').digest('hex');
    const [first, ...others] = this.#keys;
    return [mark(first), ...others.map(mark)];
  }

  /** As `TRUNKLINE_SERVER_KEY` has it. */
  reveal(): string {
    return this.#keys.map((key) => key.toString('base64')).join(',');
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
