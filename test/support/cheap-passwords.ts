/**
 * For every file of tests: a hashed password costs a thirtieth of what it costs in the program. Tests sign people in a
 * thousand times, and what a hash costs is no part of what they say; processes of the program hash as they do anywhere.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll } from 'vitest';

type Scrypt = typeof crypto.scrypt;

/** The cost of a password in the program, which the stored hash names. */
const shippedN = 2 ** 15;
const cheapN = 2 ** 10;

const original = Symbol.for('trunkline.scrypt');
const shipped: Scrypt = Reflect.get(crypto.scrypt, original) ?? crypto.scrypt;

const cheap = ((password, salt, length, options, callback) =>
  shipped(password, salt, length, options.N === shippedN ? { ...options, N: cheapN } : options, callback)) as Scrypt;
Reflect.set(cheap, original, shipped);

install(cheap);

/** For a file that is about the hashes themselves. */
export function useShippedPasswords(): void {
  beforeAll(() => install(shipped));
  afterAll(() => install(cheap));
}

function install(scrypt: Scrypt): void {
  crypto.scrypt = scrypt;
  syncBuiltinESMExports();
}
