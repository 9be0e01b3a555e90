/** Values kept in memory until the database says that they changed. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { keepUntilChanged } from './kept.ts';

const world = useOpened(() => createTestEnvironment());

/** Counts how often each value is read from the database. */
function counted() {
  const loads: string[] = [];
  const kept = keepUntilChanged<string | null>(world.env.changes, {
    outdatedBy: { kept_one: (about, _value, id) => id === about, kept_all: () => true },
    worthKeeping: (value) => value !== null,
  });
  const read = (id: string, value: string | null = id) =>
    kept.read(id, async () => {
      loads.push(id);
      return value;
    });
  return { kept, loads, read };
}

const say = (message: string) => world.env.pool.query(`select pg_notify('trunkline', $1)`, [message]);

test('a value is read once and again after a message about it, and others are left alone', async () => {
  const { kept, loads, read } = counted();
  for (const id of ['a', 'b', 'a', 'b']) expect(await read(id)).toBe(id);
  expect(loads).toEqual(['a', 'b']);
  await say('kept_one a');
  await expect.poll(() => kept.peek('a')).toBeUndefined();
  await read('a');
  await read('b');
  expect(loads).toEqual(['a', 'b', 'a']);
  await say('kept_all');
  await expect.poll(() => [kept.peek('a'), kept.peek('b')]).toEqual([undefined, undefined]);
});

test('what is not worth keeping is read each time', async () => {
  const { loads, read } = counted();
  expect([await read('x', null), await read('x', null)]).toEqual([null, null]);
  expect(loads).toEqual(['x', 'x']);
});

test('that something does not exist can be kept too, and refreshing reads whatever is kept', async () => {
  let loads = 0;
  const load = async () => {
    loads += 1;
    return null;
  };
  const kept = keepUntilChanged<null>(world.env.changes, { outdatedBy: {} });
  for (let n = 0; n < 3; n++) expect(await kept.read('none', load)).toBeNull();
  expect(loads).toBe(1);
  await kept.refresh('none', load);
  expect(loads).toBe(2);
});

test('a value that was read before a change and arrives after it is not kept', async () => {
  const { kept } = counted();
  const other = keepUntilChanged<boolean>(world.env.changes, { outdatedBy: { kept_one: () => true } });
  await other.read('seen', async () => true);
  const value = await kept.read('late', async () => {
    await say('kept_one something');
    await expect.poll(() => other.peek('seen')).toBeUndefined();
    return 'old';
  });
  expect([value, kept.peek('late')]).toEqual(['old', undefined]);
});

test('nothing is kept while changes cannot be heard', async () => {
  const { kept, read } = counted();
  await read('a');
  const listening = `from pg_stat_activity where application_name = 'trunkline changes' and datname = current_database()`;
  await world.env.pool.query(`select pg_terminate_backend(pid) ${listening}`);
  await expect.poll(() => kept.peek('a')).toBeUndefined();
});
