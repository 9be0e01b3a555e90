/** Whose request is next, when more come than are worked on together. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { type Turn, type TurnLimits, Turns } from './turns.ts';

interface Asked {
  who: string;
  turn: Turn | null;
  leave: (() => void) | null;
}

/** `together`: of everybody. Whoever asks has proven who they are before. */
function openDesk(limits: Partial<TurnLimits>) {
  let now = 0;
  const turns = new Turns(limits, () => now);
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

test('a request that takes long gives its place to those that wait', async () => {
  const turns = new Turns({ together: 1, longestMs: 5 });
  turns.enter('stream', () => undefined);
  await new Promise<void>((resolve) => turns.enter('other', () => resolve()));
  expect(turns.waiting).toBe(0);
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
