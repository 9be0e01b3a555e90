/** Statements that several callers share: who runs together, and whose error is whose. */
import { expect, test } from 'vitest';
import { grouped, groupedByAccount } from './grouped.ts';
import { ClientGone, DatabaseBusy } from './unavailable.ts';
import { ClientPresence, currentWork, type RequestWork, runAsWork } from './work.ts';

/** Runs that end when the test says so. */
function openRuns() {
  const runs: { items: readonly number[]; end(): void; fail(error: Error): void }[] = [];
  const add = grouped<number, string>(
    (items) =>
      new Promise((resolve, reject) => {
        runs.push({ items, end: () => resolve(items.map((item) => `result ${item}`)), fail: reject });
      }),
  );
  return { runs, add };
}

test('callers of one moment share a run; two runs at a time, and who comes meanwhile shares the next', async () => {
  const { runs, add } = openRuns();
  const first = [add(1), add(2)];
  await expect.poll(() => runs.length).toBe(1);
  const second = add(3);
  await expect.poll(() => runs.length).toBe(2);
  const later = [add(4), add(5), add(6)];
  runs[1]?.end();
  expect(await second).toBe('result 3');
  await expect.poll(() => runs.length).toBe(3);
  runs[0]?.end();
  runs[2]?.end();
  expect(await Promise.all([...first, ...later])).toEqual([1, 2, 4, 5, 6].map((item) => `result ${item}`));
  expect(runs.map(({ items }) => items)).toEqual([[1, 2], [3], [4, 5, 6]]);
});

test('the error of one item fails its caller only; a database that is away fails all, at once', async () => {
  const runs: (readonly number[])[] = [];
  const add = grouped<number, number>(async (items) => {
    runs.push(items);
    if (items.includes(0)) throw new DatabaseBusy('no connection');
    if (items.includes(13)) throw new Error('not a number');
    return items;
  });
  const results = await Promise.allSettled([add(1), add(13), add(2)]);
  expect(results.map((result) => ('value' in result ? result.value : String(result.reason)))).toEqual([
    1,
    'Error: not a number',
    2,
  ]);
  const away = await Promise.allSettled([add(0), add(3)]);
  expect(away.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(runs).toEqual([[1, 13, 2], [1], [13], [2], [0, 3]]);
});

test('a run belongs to no request: a client that disconnects must not cancel what others wait for', async () => {
  const seen: unknown[] = [];
  const add = grouped<number, number>(async (items) => {
    seen.push(currentWork());
    return items;
  });
  const client = new ClientPresence();
  const work: RequestWork = { lane: 'platform', client, reads: true, accountId: null, waitedMs: 0, ended: false };
  expect(await runAsWork(work, () => add(1))).toBe(1);
  expect(seen).toEqual([null]);
});

test('nothing is done for a client that goes while it waits for its run', async () => {
  const { runs, add } = openRuns();
  const busy = [];
  for (const item of [1, 2, 3]) {
    busy.push(add(item));
    await expect.poll(() => runs.length).toBe(item);
  }
  const client = new ClientPresence();
  const work: RequestWork = { lane: 'platform', client, reads: false, accountId: null, waitedMs: 0, ended: false };
  const gone = runAsWork(work, () => add(4));
  const others = [add(5)];
  client.leave();
  for (const run of runs) run.end();
  await expect(gone).rejects.toThrow(ClientGone);
  await expect.poll(() => runs.length).toBe(4);
  runs[3]?.end();
  expect(await Promise.all([...busy, ...others])).toEqual([1, 2, 3, 5].map((item) => `result ${item}`));
  expect(runs.map(({ items }) => items)).toEqual([[1], [2], [3], [5]]);
});

test('accounts are grouped apart: who waits for a row of one keeps no other waiting, and each run is work of its account', async () => {
  const runs: { items: readonly string[]; account: string | null | undefined; end(): void }[] = [];
  const add = groupedByAccount(
    'verification',
    (item: string) => item.slice(0, 1),
    (_pool: object, items) =>
      new Promise<readonly string[]>((resolve) => {
        runs.push({ items, account: currentWork()?.accountId, end: () => resolve(items) });
      }),
  );
  const pool = {};
  const slow = ['a1', 'a2'].map((item) => add(pool, item));
  await expect.poll(() => runs.length).toBe(1);
  const other = add(pool, 'b1');
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.end();
  expect(await other).toBe('b1');
  runs[0]?.end();
  expect(await Promise.all(slow)).toEqual(['a1', 'a2']);
  expect(runs.map(({ items, account }) => [account, items])).toEqual([
    ['a', ['a1', 'a2']],
    ['b', ['b1']],
  ]);
});
