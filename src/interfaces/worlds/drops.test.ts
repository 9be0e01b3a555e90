/** Databases of ended worlds are dropped together. */
import { expect, test } from 'vitest';
import { Drops } from './drops.ts';

/** Drops that end when the test says so. */
function openDrops(together: number, mostWaiting: number) {
  const drops = new Drops({ together, enough: together, quietMs: 60_000, mostWaiting });
  const started: (() => void)[] = [];
  const add = () => drops.add(() => new Promise<void>((resolve) => started.push(resolve)));
  return { drops, started, add };
}

test('drops wait for each other and begin together', async () => {
  const { started, add } = openDrops(3, 10);
  add();
  add();
  expect(started).toHaveLength(0);
  add();
  expect(started).toHaveLength(3);
  add();
  expect(started).toHaveLength(3);
});

test('nobody who ends a world waits; who makes one does while too many are to be dropped', async () => {
  const { drops, started, add } = openDrops(2, 1);
  for (let added = 0; added < 4; added++) add();
  const late = drops.room();
  expect(await Promise.race([late.then(() => 'room'), Promise.resolve('waits')])).toBe('waits');
  for (const end of started.splice(0)) end();
  await late;
  for (const end of started.splice(0)) end();
});

test('at the end none is left', async () => {
  const { drops, started, add } = openDrops(5, 10);
  add();
  add();
  const finished = drops.finish();
  expect(started).toHaveLength(2);
  for (const end of started) end();
  await finished;
  await drops.finish();
  add();
  await drops.finish(1);
  expect(started).toHaveLength(3);
});
