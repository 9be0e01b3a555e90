/** The order in which the trunks of a group are tried. */
import { describe, expect, test } from 'vitest';
import { orderTrunks } from './trunk-order.ts';

/** A small generator with a seed (mulberry32), so that a run can be repeated. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const trunk = (name: string, priority: number, weight: number) => ({ name, priority, weight });
const names = (trunks: { name: string }[]) => trunks.map(({ name }) => name).join('');

describe('the order of a group', () => {
  test('lower priority first, whatever the weight', () => {
    const group = [trunk('c', 20, 65_535), trunk('a', 0, 0), trunk('b', 10, 1)];
    expect(names(orderTrunks(group))).toBe('abc');
    expect(names(group)).toBe('cab');
  });

  test.each([
    [0, 'zab'],
    [0.03, 'azb'],
    [0.27, 'bza'],
    [0.999, 'bza'],
  ])('a draw of %s among weights 0, 10 and 30 gives %s first', (draw, order) => {
    const group = [trunk('a', 1, 10), trunk('b', 1, 30), trunk('z', 1, 0)];
    const draws = [draw, 0];
    expect(names(orderTrunks(group, () => draws.shift() ?? 0))).toBe(order);
  });

  test('each member stands in it once', () => {
    const random = seeded(1);
    const group = Array.from({ length: 10 }, (_, index) => trunk(String(index), index % 3, index * 7));
    for (let round = 0; round < 100; round++) expect(new Set(orderTrunks(group, random)).size).toBe(10);
  });
});

test('10,000 decisions by weight match the expected distribution (chi-square)', () => {
  const random = seeded(20_261_115);
  const group = [trunk('a', 1, 10), trunk('b', 1, 30), trunk('c', 1, 60), trunk('d', 1, 100), trunk('z', 1, 0)];
  const decisions = 10_000;
  const seen = new Map<string, number>();
  for (let i = 0; i < decisions; i++) {
    const first = orderTrunks(group, random)[0]?.name ?? '';
    seen.set(first, (seen.get(first) ?? 0) + 1);
  }
  // A whole number from 0 to 200 is drawn: the weightless one has exactly 0.
  const chance: Record<string, number> = { a: 10 / 201, b: 30 / 201, c: 60 / 201, d: 100 / 201, z: 1 / 201 };
  const chiSquare = Object.entries(chance).reduce((sum, [name, share]) => {
    const expected = share * decisions;
    return sum + ((seen.get(name) ?? 0) - expected) ** 2 / expected;
  }, 0);
  // 18.47 is the 99.9 % point for four degrees of freedom.
  expect(chiSquare).toBeLessThan(18.47);
});
