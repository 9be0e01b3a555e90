/** Passwords of the panel: which are refused, and their hashes. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { OperatorError } from '../../base/operator-error.ts';
import { isCommonPassword } from './common-passwords.ts';

export class WeakPassword extends OperatorError {}

const cost = { N: 2 ** 15, r: 8, p: 1 };
const shortest = 12;
const hashBytes = 32;

/** Throws if it is too short or too common. Every way of setting a password goes through here. */
export async function checkPassword(password: string): Promise<void> {
  if (password.length < shortest) throw new WeakPassword(`A password has at least ${shortest} characters.`);
  if (await isCommonPassword(password)) {
    throw new WeakPassword('This password is one of those that everybody tries first. Choose another one.');
  }
}

export async function hashPassword(password: string): Promise<string> {
  await checkPassword(password);
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Takes the same time for an account without a password, so that timing does not reveal which accounts have one. */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = (stored ?? '').split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) {
    await derive(password, Buffer.alloc(16), cost);
    return false;
  }
  const known = Buffer.from(hash, 'base64url');
  const given = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return known.length === given.length && timingSafeEqual(known, given);
}

function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, { ...options, maxmem: 128 * 1024 * 1024 }, (error, hash) => {
      if (error) reject(error);
      else resolve(hash);
    });
  });
}
