/** Callers share the next run of an action. */
import { expect, test } from 'vitest';
import { shareNext, shareNextBy } from './share-next.ts';

test('every caller gets a run that began after its call, and callers that wait share one', async () => {
  const ends: ((value: number) => void)[] = [];
  const read = shareNext(() => new Promise<number>((resolve) => ends.push(resolve)));
  const first = read();
  const [second, third] = [read(), read()];
  expect(ends).toHaveLength(1);
  ends[0]?.(1);
  expect(await first).toBe(1);
  await expect.poll(() => ends.length).toBe(2);
  const fourth = read();
  ends[1]?.(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await expect.poll(() => ends.length).toBe(3);
  ends[2]?.(3);
  expect(await fourth).toBe(3);
});

test('a failed run fails its callers only', async () => {
  let runs = 0;
  const read = shareNext(async () => {
    runs += 1;
    if (runs === 1) throw new Error('no connection');
    return runs;
  });
  const [first, second] = [read(), read()];
  await expect(first).rejects.toThrow('no connection');
  expect(await second).toBe(2);
  expect(await read()).toBe(3);
});

test('actions are shared by their keys', async () => {
  const ends: (() => void)[] = [];
  const share = shareNextBy<string>();
  const read = (key: string) =>
    share(key, () => new Promise((resolve) => ends.push(() => resolve(`${key} ${ends.length}`))));
  const [a, b] = [read('a'), read('b')];
  const [a2, a3] = [read('a'), read('a')];
  expect(ends).toHaveLength(2);
  ends[0]?.();
  ends[1]?.();
  expect(await Promise.all([a, b])).toEqual(['a 2', 'b 2']);
  await expect.poll(() => ends.length).toBe(3);
  ends[2]?.();
  expect(await Promise.all([a2, a3])).toEqual(['a 3', 'a 3']);
  // A key that nobody waits for begins anew.
  const again = read('a');
  expect(ends).toHaveLength(4);
  ends[3]?.();
  expect(await again).toBe('a 4');
});

test('of those who wait together, the action of the last one is run', async () => {
  let end = (): void => undefined;
  const share = shareNextBy<number>();
  const first = share('a', () => new Promise((resolve) => (end = () => resolve(1))));
  const others = [2, 3].map((time) => share('a', async () => time));
  end();
  expect([await first, ...(await Promise.all(others))]).toEqual([1, 3, 3]);
});
