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
  await Promise.all([add(), add()]);
  expect(started).toHaveLength(0);
  await add();
  expect(started).toHaveLength(3);
  await add();
  expect(started).toHaveLength(3);
});

test('whoever adds too many waits until some are done', async () => {
  const { started, add } = openDrops(2, 1);
  await Promise.all([add(), add(), add()]);
  const late = add();
  expect(await Promise.race([late.then(() => 'added'), Promise.resolve('waits')])).toBe('waits');
  for (const end of started.splice(0)) end();
  await late;
  for (const end of started.splice(0)) end();
});

test('at the end none is left', async () => {
  const { drops, started, add } = openDrops(5, 10);
  await Promise.all([add(), add()]);
  const finished = drops.finish();
  expect(started).toHaveLength(2);
  for (const end of started) end();
  await finished;
  await drops.finish();
  await add();
  await drops.finish(1);
  expect(started).toHaveLength(3);
});
