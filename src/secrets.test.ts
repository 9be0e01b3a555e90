import { expect, test } from 'vitest';
import { seal, unseal } from './secrets.ts';

const key = Buffer.alloc(32, 1);

test('what was sealed opens again, and is written differently each time', () => {
  const sealed = seal(key, 'api_key', 'key with ünïcode');
  expect(unseal(key, 'api_key', sealed)).toBe('key with ünïcode');
  expect(seal(key, 'api_key', 'key with ünïcode')).not.toEqual(sealed);
  expect(sealed.includes('unïcode')).toBe(false);
});

test('another key, another purpose or a changed byte opens nothing', () => {
  const sealed = seal(key, 'api_key', 'secret');
  const changed = Buffer.from(sealed);
  changed[sealed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  expect(() => unseal(Buffer.alloc(32, 2), 'api_key', sealed)).toThrow();
  expect(() => unseal(key, 'trunk_password', sealed)).toThrow();
  expect(() => unseal(key, 'api_key', changed)).toThrow();
  expect(() => unseal(key, 'api_key', Buffer.of(9))).toThrow('unknown format');
});
