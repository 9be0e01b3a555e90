/** Whose request is next, when more come than are worked on together. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Turn, type TurnLimits, Turns } from './turns.ts';

/** Long enough for the server to look for those that hold places too long. */
const looks = 120;

interface Asked {
  who: string;
  turn: Turn | null;
  leave: (() => void) | null;
}

/** `together`: of everybody. Whoever asks has proven who they are before. */
function openDesk(limits: Partial<TurnLimits>) {
  let now = 0;
  // Never idle, and enough places for one account, unless a test is about that.
  const turns = new Turns({ togetherOfOne: 24, togetherOfStrangers: 24, ...limits }, () => ({ now, idle: 0 }));
  const begun: string[] = [];
  const ask = (who: string): Asked => {
    const asked: Asked = { who, turn: null, leave: null };
    asked.leave = turns.enter(who, (turn) => {
      asked.turn = turn;
      begun.push(who);
    });
    return asked;
  };
  const meet = (who: string) => {
    const { turn } = ask(who);
    turn?.belongsTo(`account of ${who}`);
    turn?.end();
  };
  return {
    turns,
    begun,
    ask,
    /** After it was worked on for so long. */
    end({ turn }: Asked, ms: number) {
      now += ms;
      turn?.end();
    },
    /** One after another, as they began. */
    workOff(all: readonly Asked[], msOf: (who: string) => number) {
      const ended = new Set<Asked>();
      while (ended.size < all.length) {
        const current = all.find((one) => one.turn !== null && !ended.has(one));
        if (current === undefined) throw new Error('nobody has a turn');
        ended.add(current);
        now += msOf(current.who);
        current.turn?.end();
      }
    },
    meet: (...all: string[]) => {
      all.forEach(meet);
      begun.length = 0;
    },
  };
}

test('as many as are worked on together begin at once', () => {
  const { ask, begun } = openDesk({ together: 2 });
  const [first] = [ask('a'), ask('a'), ask('a')];
  expect(begun).toEqual(['a', 'a']);
  first?.turn?.end();
  expect(begun).toEqual(['a', 'a', 'a']);
});

test('who sends fifty at once delays nobody else by more than the one that is worked on', () => {
  const { ask, begun, end, meet } = openDesk({ together: 1 });
  meet('flood', 'other');
  const [first] = Array.from({ length: 50 }, () => ask('flood'));
  ask('other');
  end(first as Asked, 5);
  expect(begun).toEqual(['flood', 'other']);
});

test('what counts is time, not number', () => {
  const { ask, begun, meet, workOff } = openDesk({ together: 1 });
  meet('slow', 'quick');
  workOff([ask('slow'), ...Array.from({ length: 6 }, () => ask('quick')), ask('slow'), ask('slow')], (who) =>
    who === 'slow' ? 30 : 10,
  );
  expect(begun.join(' ')).toBe('slow quick quick quick slow quick quick quick slow');
});

test('who was idle has saved nothing up', () => {
  const { ask, begun, end, meet, workOff } = openDesk({ together: 1 });
  meet('busy', 'idle');
  for (let n = 0; n < 10; n += 1) end(ask('busy'), 10);
  begun.length = 0;
  workOff([ask('busy'), ask('busy'), ask('idle'), ask('idle'), ask('busy')], () => 10);
  expect(begun).toEqual(['busy', 'idle', 'busy', 'idle', 'busy']);
});

test('strangers share one part, and a smaller one', () => {
  const { ask, begun, meet, workOff } = openDesk({ together: 1 });
  meet('known');
  const strangers = ['stranger 1', 'stranger 2', 'stranger 3'].map(ask);
  workOff([...strangers, ...Array.from({ length: 9 }, () => ask('known'))], () => 10);
  expect(begun.map((who) => (who === 'known' ? 'k' : 's')).join('')).toBe('skkkkskkkks'.padEnd(12, 'k'));
});

test('one account may have only so many waiting, and a few accounts not all the room', () => {
  const { ask, meet } = openDesk({ together: 1, waitingOfOne: 3, waiting: 4 });
  meet('a', 'b', 'c');
  const asked = Array.from({ length: 5 }, () => ask('a'));
  expect(asked.map(({ leave }) => leave !== null)).toEqual([true, true, true, true, false]);
  expect([ask('b'), ask('b')].map(({ leave }) => leave !== null)).toEqual([true, true]);
  expect(ask('c').leave).not.toBeNull();
});

test('a client that has gone waits no longer', () => {
  const { ask, begun, turns } = openDesk({ together: 1 });
  const [first, second] = [ask('a'), ask('a'), ask('a')];
  second?.leave?.();
  expect(turns.waiting).toBe(1);
  first?.turn?.end();
  expect(begun).toHaveLength(2);
  expect(turns.waiting).toBe(0);
});

test('a request that had to wait is no part of the one whose end gave it its turn', () => {
  const { ask, turns } = openDesk({ together: 1 });
  const work = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const first = ask('a');
  turns.enter('b', () => seen.push(work.getStore()));
  work.run('of a', () => first.turn?.end());
  expect(seen).toEqual([undefined]);
});

test.each([
  ['was idle', { idleMs: 10, longestMs: 1_000 }, (ms: number) => ({ now: 0, idle: ms })],
  ['was busy for long', { idleMs: 10, longestMs: 1_000 }, (ms: number) => ({ now: 100 * ms, idle: 0 })],
])('a request gives its place to those that wait when the process %s meanwhile', async (_what, limits, momentAt) => {
  let ms = 0;
  const turns = new Turns({ together: 1, ...limits }, () => momentAt(ms));
  turns.enter('stream', () => undefined);
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  turns.enter('other', () => resolve());
  ms = 9;
  await sleep(looks);
  expect(turns.waiting).toBe(1);
  ms = 10;
  await begun;
  expect(turns.waiting).toBe(0);
});

test('one account has only some of the places while others are here, and all of them when they have gone', async () => {
  let now = 0;
  const turns = new Turns({ together: 10, togetherOfOne: 3, togetherOfStrangers: 1 }, () => ({ now, idle: 0 }));
  const meet = (who: string) =>
    turns.enter(who, (turn) => {
      turn.belongsTo(`account of ${who}`);
      turn.end();
    });
  const working: Record<string, number> = {};
  const ask = (who: string) =>
    turns.enter(who, () => {
      working[who] = (working[who] ?? 0) + 1;
    });
  meet('flood');
  meet('other');
  for (let n = 0; n < 8; n += 1) for (const who of ['flood', 'other', 'stranger']) ask(who);
  expect(working).toEqual({ flood: 3, other: 3, stranger: 1 });
  now = 2_000;
  await expect.poll(() => turns.working).toBe(10);
});

test('a stranger who floods keeps no other stranger out', () => {
  const { ask } = openDesk({ together: 1, waitingOfOne: 8 });
  const flood = Array.from({ length: 6 }, () => ask('flood'));
  expect(flood.map(({ leave }) => leave !== null)).toEqual([true, true, true, true, true, false]);
  expect(ask('other').leave).not.toBeNull();
  expect(ask('flood').leave).toBeNull();
});

test('what a stranger had waiting when it was known waits for its account, and still may leave', () => {
  const { ask, begun, end, turns } = openDesk({ together: 1 });
  const [first, , third] = [ask('flood'), ask('flood'), ask('flood')];
  const other = ask('other');
  first?.turn?.belongsTo('account of flood');
  end(first as Asked, 5);
  expect(begun).toEqual(['flood', 'other']);
  third?.leave?.();
  expect(turns.waiting).toBe(1);
  end(other, 1);
  expect(begun).toEqual(['flood', 'other', 'flood']);
});
