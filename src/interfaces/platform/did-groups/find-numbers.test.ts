/** Available numbers are counted and paged exactly. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineContext } from '../../../../test/support/engine-context.ts';
import { createTestEnvironment, type TestEnvironment } from '../../../../test/support/environment.ts';
import { idOf, loadGroups, loadPlaces, smallGroups, stockNumbers } from '../../../../test/support/small-catalogue.ts';
import { parseQuery } from '../../../engines/jsonapi/query.ts';
import { readQueryString } from '../../../engines/jsonapi/query-string.ts';
import { Registry } from '../../../engines/jsonapi/resource.ts';
import { createQueryRunner, type PlatformContext } from '../context.ts';
import { resources } from '../v3/resources.ts';
import { availableDids } from './available-dids.ts';
import { findNumbers } from './find-numbers.ts';

const groupId = (name: string) => idOf('did_groups', name);
const registry = new Registry(resources);

describe('finding available numbers', () => {
  let world: TestEnvironment;
  let numbers: { number: string; group: string }[];

  beforeAll(async () => {
    world = await createTestEnvironment();
    const { pool } = world.env;
    await loadPlaces(pool);
    await loadGroups(pool, smallGroups);
    // Two groups share some thousands-blocks, one does not show its numbers.
    const seeded = fc.sample(
      fc.tuple(fc.integer({ min: 0, max: 8_000 }), fc.constantFrom('London', 'UK mobile', 'Hidden')),
      {
        seed: 4242,
        numRuns: 900,
      },
    );
    const unique = new Map(seeded.map(([offset, group]) => [String(442_070_000_000 + offset * 7), group]));
    numbers = [...unique]
      .map(([number, group]) => ({ number, group }))
      .sort((a, b) => order(a).localeCompare(order(b)));
    for (const [group, members] of Map.groupBy(numbers, (each) => each.group)) {
      await stockNumbers(
        pool,
        group,
        members.map(({ number }) => number),
      );
    }
  });
  afterAll(() => world.close());

  const order = ({ number, group }: { number: string; group: string }) =>
    `${number.slice(0, -4)}/${groupId(group)}/${number}`;

  const find = async (search: string) => {
    const context: PlatformContext = {
      ...engineContext({ now: world.clock.now(), query: createQueryRunner(world.env.pool) }),
      env: world.env,
      db: world.env.db,
      caller: null,
    };
    const query = parseQuery(registry, availableDids, readQueryString(`?${search}`), context, true);
    const page = await findNumbers(context, { resource: availableDids, query, columns: 't.id, t.number' });
    return { total: page.total, numbers: page.rows.map((row) => row.number) };
  };

  const expected = (keep: (each: { number: string; group: string }) => boolean, page = 1, size = 50) => {
    const matching = numbers.filter((each) => each.group !== 'Hidden' && keep(each));
    return {
      total: matching.length,
      numbers: matching.slice((page - 1) * size, page * size).map(({ number }) => number),
    };
  };

  test('every page has exactly its numbers and the exact total', async () => {
    for (const page of [1, 2, 5, 11, 999]) {
      expect(await find(`page[number]=${page}`)).toEqual(expected(() => true, page));
    }
  });

  test('a group filter counts and pages inside the group', async () => {
    const found = await find(`filter[did_group.id]=${groupId('UK mobile')}&page[size]=7&page[number]=3`);
    expect(found).toEqual(expected(({ group }) => group === 'UK mobile', 3, 7));
  });

  test('a group that does not show its numbers shows none', async () => {
    expect(await find(`filter[did_group.id]=${groupId('Hidden')}`)).toEqual({ total: 0, numbers: [] });
  });

  test('number_contains finds digits in the base, in the suffix and across the border', async () => {
    const needles = fc.sample(fc.tuple(fc.nat(numbers.length - 1), fc.nat(9), fc.integer({ min: 3, max: 8 })), {
      seed: 77,
      numRuns: 60,
    });
    for (const [at, start, length] of needles) {
      const digits = numbers[at]?.number.slice(start, start + length) ?? '';
      if (digits.length < 3) continue;
      expect(await find(`filter[number_contains]=${digits}`), digits).toEqual(
        expected(({ number }) => number.includes(digits)),
      );
    }
  });

  test('one digit is enough inside a country', async () => {
    const found = await find(`filter[number_contains]=7&filter[country.id]=${idOf('countries', 'GB')}&page[number]=2`);
    expect(found).toEqual(expected(({ number }) => number.includes('7'), 2));
  });

  test('a hold hides its number until its time is over, job or no job', async () => {
    const { pool } = world.env;
    const [first] = expected(() => true).numbers;
    const { rows } = await pool.query(`insert into accounts (name, created_at) values ('Holder', $1) returning id`, [
      world.clock.now(),
    ]);
    await pool.query(
      `insert into did_reservations (account_id, available_did_id, number, did_group_id, created_at, expires_at)
       select $1, id, number, did_group_id, $3, $4 from available_dids where number = $2`,
      [rows[0].id, first, world.clock.now(), new Date(world.clock.now().getTime() + 600_000)],
    );
    expect(await find('')).toEqual(expected(({ number }) => number !== first));
    expect((await find(`filter[number_contains]=${first}`)).total).toBe(0);
    world.clock.advance(600);
    expect(await find('')).toEqual(expected(() => true));
  });

  test('a sold number leaves the count with its row', async () => {
    const [first] = expected(() => true).numbers;
    await world.env.pool.query('delete from available_dids where number = $1', [first]);
    numbers = numbers.filter(({ number }) => number !== first);
    expect(await find('')).toEqual(expected(() => true));
  });
});
