/** Who gets the next turn when many wait, and who is refused. */
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Work that ends when the test says so. */
function workbench(turns: Turns) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (account: string) =>
    turns.take(account, () => {
      begun.push(account);
      return new Promise<void>((end) => ends.push(end));
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endFirst = async () => {
    ends.shift()?.();
    await settle();
  };
  return { begun, work, settle, endFirst };
}

test('one account leaves room for others, and takes turns with them', async () => {
  const { begun, work, settle, endFirst } = workbench(new Turns({ together: 3, ofOneAccount: 2, mostWaiting: 10 }));
  const all = [...Array.from({ length: 5 }, () => work('hog')), work('b'), work('b'), work('c')];
  await settle();
  expect(begun).toEqual(['hog', 'hog', 'b']);
  for (let ended = 0; ended < 3; ended++) await endFirst();
  // The account with most requests has waited no less than the others.
  expect(begun.slice(3)).toEqual(['hog', 'b', 'c']);
  for (let left = all.length; left > 0; left--) await endFirst();
  await Promise.all(all);
  expect(begun.filter((account) => account === 'hog')).toHaveLength(5);
  expect(begun.filter((account) => account === 'b')).toHaveLength(2);
});

test('an account with too many requests that wait is refused, and one that failed makes room', async () => {
  const turns = new Turns({ together: 1, ofOneAccount: 1, mostWaiting: 1 });
  const { work, settle, endFirst } = workbench(turns);
  const [first, second] = [work('a'), work('a')];
  await settle();
  await expect(work('a')).rejects.toThrow('1 requests of this account wait');
  await endFirst();
  await endFirst();
  await Promise.all([first, second]);
  const failure = turns.take('a', () => Promise.reject(new Error('no disk')));
  await expect(failure).rejects.toThrow('no disk');
  expect(await turns.take('a', async () => 'done')).toBe('done');
});

test('beyond what may wait in all, everybody is told to come back', async () => {
  const turns = new Turns({ together: 1, ofOneAccount: 1, mostWaiting: 5, mostWaitingInAll: 2, what: 'a turn' });
  const { work, settle, endFirst } = workbench(turns);
  const all = [work('a'), work('b'), work('c')];
  await settle();
  await expect(work('d')).rejects.toMatchObject({
    status: 503,
    message: '2 requests wait for a turn already; try again in a moment.',
  });
  for (let left = all.length; left > 0; left--) await endFirst();
  await Promise.all(all);
});
