import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret, seal, unseal } from './secret.ts';

const key = Buffer.alloc(32, 1);

it('gives the text back, to the right key and purpose only', () => {
  const sealed = seal(key, 'callback secret', 'hush');
  expect(sealed).not.toContain('hush');
  expect(unseal(key, 'callback secret', sealed)).toBe('hush');
  expect(() => unseal(Buffer.alloc(32, 2), 'callback secret', sealed)).toThrow();
  expect(() => unseal(key, 'another purpose', sealed)).toThrow();
  expect(() => unseal(key, 'callback secret', `A${sealed.slice(1)}B`)).toThrow();
});

it('seals the same text differently each time', () => {
  expect(seal(key, 'p', 'hush')).not.toBe(seal(key, 'p', 'hush'));
});

it('does not show a secret by accident', () => {
  const secret = new Secret('hush');
  expect(
    `${secret} ${JSON.stringify({ secret })} ${inspect({ secret }, { depth: 9, showHidden: true })}`,
  ).not.toContain('hush');
  expect(secret.reveal()).toBe('hush');
});
