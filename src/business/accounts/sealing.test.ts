/** Sealed texts open with the right key and purpose only. */
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { ServerKey } from '../../base/server-key.ts';
import { Secret, seal, unseal } from './secret.ts';

const bytes = (byte: number) => Buffer.alloc(32, byte);
const key = new ServerKey(bytes(1));

it('gives the text back, to the right key and purpose only', () => {
  const sealed = seal(key, 'callback secret', 'hush');
  expect(sealed).not.toContain('hush');
  expect(unseal(key, 'callback secret', sealed)).toBe('hush');
  expect(() => unseal(new ServerKey(bytes(2)), 'callback secret', sealed)).toThrow();
  expect(() => unseal(key, 'another purpose', sealed)).toThrow();
  expect(() => unseal(key, 'callback secret', `A${sealed.slice(1)}B`)).toThrow();
});

it('seals the same text differently each time', () => {
  expect(seal(key, 'p', 'hush')).not.toBe(seal(key, 'p', 'hush'));
});

it('while a key is replaced the first one seals and every one opens', () => {
  const both = new ServerKey(bytes(2), bytes(1));
  expect(unseal(both, 'p', seal(key, 'p', 'hush'))).toBe('hush');
  expect(unseal(both.newest(), 'p', seal(both, 'p', 'hush'))).toBe('hush');
  expect(() => unseal(both.newest(), 'p', seal(key, 'p', 'hush'))).toThrow();
  expect(() => unseal(both, 'p', seal(new ServerKey(bytes(3)), 'p', 'hush'))).toThrow();
});

it('does not show the server key by accident', () => {
  expect(`${key} ${JSON.stringify({ key })} ${inspect({ key }, { depth: 9, showHidden: true })}`).not.toContain('AQEB');
});

it('does not show a secret by accident', () => {
  const secret = new Secret('hush');
  expect(
    `${secret} ${JSON.stringify({ secret })} ${inspect({ secret }, { depth: 9, showHidden: true })}`,
  ).not.toContain('hush');
  expect(secret.reveal()).toBe('hush');
});
