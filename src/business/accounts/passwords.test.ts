/** Passwords are hashed with salt and compared. */
import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useShippedPasswords } from '../../../test/support/cheap-passwords.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

describe('at the cost of the program', () => {
  useShippedPasswords();

  it('costs a guess what its hash says', async () => {
    const [scheme, N, r, p, salt = '', hash] = (await hashPassword('correct horse battery')).split('$');
    expect([scheme, N, r, p]).toEqual(['scrypt', '32768', '8', '1']);
    const options = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 27 };
    const derived = scryptSync('correct horse battery', Buffer.from(salt, 'base64url'), 32, options);
    expect(derived.toString('base64url')).toBe(hash);
  });

  it('knows the password again, and no other', async () => {
    const hash = await hashPassword('correct horse battery');
    expect(hash).not.toContain('correct');
    expect(await verifyPassword(hash, 'correct horse battery')).toBe(true);
    expect(await verifyPassword(hash, 'correct horse batterx')).toBe(false);
    expect(await verifyPassword(null, 'correct horse battery')).toBe(false);
  });
});

it('salts, so that equal passwords look different', async () => {
  expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'));
});

it('refuses a short one', async () => {
  await expect(hashPassword('elevenchars')).rejects.toThrow('at least 12 characters');
});

it.each([
  'password1234',
  'Password1234!',
  '123456789012',
  'QWERTYuiop12',
  '1qaz2wsx3edc',
  'administrator',
  'aaaaaaaaaaaa',
  'abcabcabcabc',
  '...Welcome2024',
])('refuses %s, which everybody tries first', async (password) => {
  await expect(hashPassword(password)).rejects.toThrow('everybody tries first');
});

it.each(['correct horse battery', 'at least 12 characters', 'an operator password', 'kQ7-vRt2pLx9'])(
  'takes %s',
  async (password) => expect(await hashPassword(password)).toMatch(/^scrypt\$/),
);
