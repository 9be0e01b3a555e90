/** Every task has one handler and a name of the form room.verb. */
import { glob, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { notPlannedAgain, plannedAgain } from '../../interfaces/worlds/plan-again.ts';
import { taskHandlers } from './tasks.ts';

const names = taskHandlers.map(({ task }) => task.name);

describe('the list of tasks', () => {
  it('has one handler for every task that a room declares, under a name of the form room.verb', async () => {
    const declared: string[] = [];
    for await (const file of glob('src/**/*.ts', { exclude: ['**/*.test.ts'] })) {
      const text = await readFile(file, 'utf8');
      declared.push(...Array.from(text.matchAll(/defineTask(?:<[^(]*>)?\(\s*'([^']+)'/g), ([, name]) => name ?? ''));
    }
    expect(declared.length).toBeGreaterThan(0);
    expect(names.toSorted()).toEqual(declared.toSorted());
    for (const name of names) expect(name).toMatch(/^[a-z]+\.[a-z_]+$/);
  });

  it('says of every task whether the copy of an account plans it again', () => {
    expect([...plannedAgain.map(({ task }) => task), ...notPlannedAgain].toSorted()).toEqual(names.toSorted());
  });
});

describe('a database', () => {
  let test: TestEnvironment;
  beforeAll(async () => {
    test = await createTestEnvironment();
  });
  afterAll(() => test.close());

  it('has no function that adds a job of a task nobody declares', async () => {
    const { rows } = await test.env.pool.query<{ source: string }>(
      `select prosrc as source from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~ '(add|queue)_job'`,
    );
    const added = rows.flatMap(({ source }) =>
      Array.from(source.matchAll(/(?:add|queue)_job\(\s*'([^']+)'/g), ([, name]) => name),
    );
    expect(added.length).toBeGreaterThan(0);
    expect(names).toEqual(expect.arrayContaining(added));
  });
});
