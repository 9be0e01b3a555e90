/** Ids of catalogue entries never change: databases and clients have them. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { nameBasedId } from './ids.ts';

it('an id that was given once', () => {
  expect(nameBasedId('available_dids', '12125550100')).toBe('b21b4a16-217d-51ee-84a5-3e81d1e98ace');
});

it.each([
  ['a number', ['available_dids', '4930123456']],
  ['a name without a part', ['cities', 'DE', null, 'Köln']],
  ['a name that is as long as any', ['cities', '名'.repeat(993)]],
  ['a longer one', ['cities', '名'.repeat(2_000)]],
  ['a short one after it', ['pops', 'Miami, FL, USA']],
] as const)('the UUID of version 5 of %s', (_what, [type, ...name]) => {
  const bytes = createHash('sha1')
    .update(Buffer.from('4e5f0a5c3c0b5d7f9a1e6b2d8c4f7013', 'hex'))
    .update([type, name.map((part) => part ?? '').join('/')].join('/'))
    .digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  expect(nameBasedId(type, ...name).replaceAll('-', '')).toBe(bytes.toString('hex', 0, 16));
  expect(nameBasedId(type, ...name)).toMatch(/^\w{8}-\w{4}-5\w{3}-[89ab]\w{3}-\w{12}$/);
});
