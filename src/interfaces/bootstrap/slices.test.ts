/** Seeds of ten thousand records let the requests of others in between: counted in entries, not timed. */
import { expect, test, vi } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { longestSlice } from '../../../test/support/longest-slice.ts';
import { loadGroups } from '../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../test/support/use.ts';
import { sliceLength } from '../../base/slices.ts';
import { CatalogueIndex } from '../../business/catalogue/catalogue-index.ts';
import { parseSeed } from './parse-seed.ts';

const house = useOpened(() => createTestEnvironment());

/** Entries of which `member` says when it is read. */
const entries = (entry: object, member: string, value: unknown, read: () => void) =>
  Array.from({ length: 5 * sliceLength }, () =>
    Object.defineProperty({ ...entry }, member, {
      enumerable: true,
      get: () => {
        read();
        return value;
      },
    }),
  );

test.each([
  ['calls', { number: '442071234567', at: '-P3D' }, 'src_number', '442071234568'],
  ['verifications', {}, 'destination', '442071234568'],
  ['numbers', {}, 'country', 'GB'],
])('%s of an account are checked in slices', async (kind, entry, member, value) => {
  const seed = (read: () => void) => ({ accounts: [{ [kind]: entries(entry, member, value, read) }] });
  expect(await longestSlice((read) => parseSeed(seed(read), 'Own'))).toBe(sliceLength);
});

test('numbers for sale are checked in slices', async () => {
  const longest = await longestSlice((read) => parseSeed({ numbers: entries({}, 'country', 'GB', read) }, 'Own'));
  expect(longest).toBe(sliceLength);
});

test('the catalogue is read in slices', async () => {
  const names = Array.from({ length: 2 * sliceLength + 1 }, (_, n) => `Group ${n}`);
  const group = { country: 'GB', features: ['voice_in'], offers: [] } as const;
  await loadGroups(house.env.pool, Object.fromEntries(names.map((name) => [name, group])));
  const add = vi.spyOn(CatalogueIndex.prototype, 'addGroup');
  const longest = await longestSlice((step) => {
    add.mockImplementation(step);
    return CatalogueIndex.read(house.env.db);
  });
  expect(add).toHaveBeenCalledTimes(names.length);
  expect(longest).toBe(sliceLength);
  add.mockRestore();
});
