/** Passwords are hashed with salt and compared. */
import { expect, it } from 'vitest';
import { hashPassword, verifyPassword } from './account-columns.ts';

it('knows the password again, and no other', async () => {
  const hash = await hashPassword('correct horse battery');
  expect(hash).not.toContain('correct');
  expect(await verifyPassword(hash, 'correct horse battery')).toBe(true);
  expect(await verifyPassword(hash, 'correct horse batterx')).toBe(false);
  expect(await verifyPassword(null, 'correct horse battery')).toBe(false);
});

it('salts, so that equal passwords look different', async () => {
  expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'));
});

it('refuses a short one', async () => {
  await expect(hashPassword('elevenchars')).rejects.toThrow('at least 12 characters');
});
