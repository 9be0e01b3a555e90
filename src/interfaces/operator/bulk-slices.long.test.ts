/**
 * Imports, price lists and acts on stock let the requests of others in between: counted in lines and rows, not timed.
 */
import type { KyselyPlugin } from 'kysely';
import { expect, test, vi } from 'vitest';
import { longestSlice } from '../../../test/support/longest-slice.ts';
import { addOperator } from '../../../test/support/operator.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { pieceLength, sliceLength } from '../../base/slices.ts';
import { importFrom } from '../../business/catalogue/import.ts';
import { NumberStaging } from '../../business/catalogue/number-staging.ts';
import { runIn } from '../../engines/db/transaction.ts';
import { LaneFull } from '../../engines/jobs/lanes.ts';
import { atCommandLine } from './act.ts';
import { importLane, importTask, runImport } from './inventory/run-import.ts';
import { actOnStock } from './inventory/stock-actions.writes.ts';
import { priceKinds } from './pricing/price-kinds.ts';
import { compareWithCurrent, readPriceFile } from './pricing/read-price-file.ts';

const shop = useOpened(() => openShop());
const operator = useMade(() => addOperator(shop, 'owner'));

const numbers = Array.from({ length: 3000 }, (_, n) => `442071${String(n).padStart(6, '0')}`);
const inOneChunk = async function* (text: string) {
  yield Buffer.from(text);
};

test('a catalogue file is read in pieces, however it arrives', async () => {
  const line = (number: string) => `${number},${shop.groups.london}`;
  const csv = `number,did_group_id\n${numbers.map(line).join('\n')}\n`;
  const add = vi.spyOn(NumberStaging.prototype, 'add');
  const longest = await longestSlice((step) => {
    add.mockImplementation(step);
    return importFrom(shop.env, { name: 'many.csv', size: csv.length, bytes: inOneChunk(csv) }, { dryRun: true });
  });
  expect(add).toHaveBeenCalledTimes(numbers.length);
  add.mockRestore();
  expect(longest).toBeLessThanOrEqual(Math.ceil(pieceLength / line(numbers[0] ?? '').length));
});

test('a price list is read in pieces, and compared in slices', async () => {
  const csv = `prefix,per_minute\n${numbers.map((number) => `${number},0.01`).join('\n')}\n`;
  const kind = priceKinds.termination;
  const [first, ...others] = kind.keys;
  if (first === undefined) throw new Error('rates have a prefix');
  const watched = (step: () => void) => {
    const parse = (cell: string) => {
      step();
      return first.parse(cell);
    };
    return { ...kind, keys: [{ ...first, parse }, ...others] };
  };
  const reading = await longestSlice((step) => readPriceFile(watched(step), csv));
  expect(reading).toBeLessThanOrEqual(Math.ceil(pieceLength / `${numbers[0]},0.01`.length));

  const file = await readPriceFile(kind, csv);
  const scope = { accountId: null, carrierId: null };
  const rows = (step: () => void) =>
    numbers.map((prefix) => ({
      get prefix() {
        step();
        return prefix;
      },
    }));
  const comparing = await longestSlice((step) => compareWithCurrent(kind, scope, file, async () => rows(step)));
  // The member is looked at twice: is it null, and what is it.
  expect(comparing).toBe(2 * sliceLength);
  expect(await compareWithCurrent(kind, scope, file, runIn(shop.env.db))).toHaveLength(numbers.length);
});

test('numbers that are withdrawn, released and moved stay in the database', async () => {
  const csv = `number,did_group_id\n${numbers.map((number) => `${number},${shop.groups.london}`).join('\n')}\n`;
  await importFrom(shop.env, { name: 'many.csv', size: csv.length, bytes: inOneChunk(csv) });
  let mostRows = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      mostRows = Math.max(mostRows, result.rows.length);
      return result;
    },
  };
  const acting = atCommandLine({ ...shop.env, db: shop.env.db.withPlugin(counting) });
  const listed = { numbers, reason: 'tested' };
  const count = numbers.length;
  expect(await actOnStock(acting, { action: 'withdraw', ...listed })).toMatchObject({ count, owned: 0, skipped: 0 });
  expect(await actOnStock(acting, { action: 'release', ...listed })).toMatchObject({ count });
  const targetGroupId = shop.groups.registered;
  expect(await actOnStock(acting, { action: 'move', targetGroupId, ...listed })).toMatchObject({ count });
  expect(mostRows).toBe(1);
});

test('one import at a time runs in a process, the next one waits in the queue', async () => {
  const attributes = { name: 'one.csv', content: `number,did_group_id\n442072000000,${shop.groups.london}\n` };
  const made = await operator.client.post('/catalogue_imports', { data: { type: 'catalogue_imports', attributes } });
  const leave = shop.env.jobs.lanes.tryEnter(importLane, 1);
  const { signal } = new AbortController();
  const run = { dueAt: shop.clock.now(), attempt: 1, maxAttempts: 25, stopping: signal, signal };
  const attempt = () => runImport.run({ import_id: made.resource.id }, { env: shop.env, ...run });
  const status = async () =>
    (await operator.client.get(`/catalogue_imports/${made.resource.id}`)).resource.attributes?.status;
  await expect(attempt()).rejects.toThrow(new LaneFull(importLane));
  expect([runImport.task.name, await status()]).toEqual([importTask.name, 'waiting']);
  leave?.();
  await attempt();
  expect([await status(), shop.env.jobs.lanes.isFull(importLane)]).toEqual(['done', false]);
});
