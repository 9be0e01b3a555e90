/** Which world an id or a key belongs to. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { KnownWorlds } from './known-worlds.ts';

const house = useOpened(() => createTestEnvironment());

/** What the registry would say, and how often it was asked. */
function openKnown() {
  const worlds = new Map([['api old', '1']]);
  const asked = { times: 0 };
  const keys = async () => {
    asked.times += 1;
    return new Map(worlds);
  };
  return { worlds, asked, known: new KnownWorlds(house.env.changes, { keys }) };
}

test('a world that another process has just made is found by its id and by its key', async () => {
  const { worlds, known } = openKnown();
  expect(await known.ofKey({ name: 'api old', mayBeNew: false })).toBe('1');
  worlds.set('api new', '2');
  expect(await known.ofKey({ name: 'api new', mayBeNew: true })).toBe('2');
  worlds.set('otp new', '3');
  expect(await known.has('3')).toBe(true);
});

test('keys that cannot be of a world are answered from memory', async () => {
  const { asked, known } = openKnown();
  for (let key = 0; key < 50; key++) expect(await known.ofKey({ name: `api ${key}`, mayBeNew: false })).toBeNull();
  expect(asked.times).toBe(1);
});

test('unknown ids and keys share few reads, however many there are', async () => {
  const { asked, known } = openKnown();
  await known.has('1');
  const unknown = Array.from({ length: 500 }, (_, index) =>
    index % 2 === 0 ? known.has(`${index}`) : known.ofKey({ name: `api ${index}`, mayBeNew: true }),
  );
  expect(new Set(await Promise.all(unknown))).toEqual(new Set([false, null]));
  expect(asked.times).toBe(2);
});
