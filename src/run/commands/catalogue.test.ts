/** Commands that import and export the catalogue. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CommandPlace, openCommandPlace, run } from '../../../test/support/commands.ts';
import { jsonLines, london, smallCatalogue } from '../../business/catalogue/small-catalogue.fixture.ts';
import { createPool } from '../../engines/db/pool.ts';

let place: CommandPlace;
let progress = '';

beforeAll(async () => {
  place = await openCommandPlace();
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    progress += text;
    return true;
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await place.close();
});

describe('the catalogue commands', () => {
  test('import a file, say how far they are and what came in', async () => {
    const file = join(place.folder, 'small.jsonl');
    await writeFile(file, jsonLines([...smallCatalogue, { number: '442079460000', did_group_id: london }]));
    const [line] = await run('catalogue import', file);
    expect(line).toMatch(
      new RegExp(`^Imported ${smallCatalogue.length} catalogue entries and 1 numbers in [0-9.]+ s\\.$`),
    );
    expect(progress).toContain('Reading: 100 %\n');
    expect(progress).toContain('Storing: 100 %\n');
  });

  test('import describes as many wrong lines as asked', async () => {
    const file = join(place.folder, 'wrong.csv');
    await writeFile(file, 'number\n1\n2\n3\n');
    await expect(run('catalogue import', file, '--max-errors', '1')).rejects.toThrow(/line 2: .*\n {2}and 2 more$/);
    await expect(run('catalogue import')).rejects.toThrow('FILE is missing');
    await expect(run('catalogue import', file, '--max-errors', '0')).rejects.toThrow(
      '--max-errors must be a whole number',
    );
  });

  test('generate adds as many numbers as asked', async () => {
    expect(await run('catalogue generate', '--numbers', '300')).toEqual(['Added 300 numbers to 3 groups.']);
    await expect(run('catalogue generate')).rejects.toThrow('--numbers is missing.');
  });

  test('export writes a file by its ending', async () => {
    const csv = join(place.folder, 'numbers.csv');
    await run('catalogue export', '--to', csv);
    expect((await readFile(csv, 'utf8')).trimEnd().split('\n')).toHaveLength(302);
    const lines = join(place.folder, 'all.jsonl');
    await run('catalogue export', '--to', lines);
    expect((await readFile(lines, 'utf8')).trimEnd().split('\n')).toHaveLength(smallCatalogue.length + 301);
    await expect(run('catalogue export', '--to', 'x.xml')).rejects.toThrow('x.xml must end in .jsonl or .csv.');
  });

  test('verify finds wrong counts and mends them', async () => {
    expect(await run('catalogue verify')).toEqual(['Every count is right.']);
    const pool = createPool(place.url);
    await pool.query('update stock_blocks set available = available - 1 where did_group_id = $1', [london]);
    await pool.end();
    await expect(run('catalogue verify')).rejects.toThrow('The counts of 2 blocks and 0 shelves are wrong.');
    expect(await run('catalogue verify', '--repair')).toEqual(['Counted 2 blocks anew.', 'Every count is right.']);
    expect(await run('catalogue verify')).toEqual(['Every count is right.']);
  });
});
