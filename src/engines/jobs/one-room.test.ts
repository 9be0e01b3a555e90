/**
 * The table of jobs is named here and in this room's functions alone; other rooms ask (coming.ts, inspect.ts,
 * `queue_job` …).
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const src = path.resolve(import.meta.dirname, '../..');
/** `migrations` and `move-over.sql` say how the table came about. */
const own =
  /^engines\/(jobs\/|db\/functions\/jobs\/|db\/baseline\/|db\/migrations\/|db\/move-over\.sql$|db\/(schema|tables\/jobs)\.ts$)/;

const names =
  /\b(from|join|into|update|using|table|truncate|lock|copy|only)\s+(public\.)?"?jobs\b|(From|Into|Table|Join)\('jobs\b/;
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|--.*$|\/\/.*$/gm, '');

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll(path.sep, '/'))
  .filter((name) => /\.(ts|sql)$/.test(name) && !/\.(test|fixture)\.ts$/.test(name));

test('no other room names the table of jobs', () => {
  expect(files.length).toBeGreaterThan(800);
  const naming = files.filter((name) => names.test(withoutComments(readFileSync(path.join(src, name), 'utf8'))));
  expect(naming).toContain('engines/jobs/stored-jobs.ts');
  expect(naming).toContain('engines/db/functions/jobs/queue_job.sql');
  expect(naming.filter((name) => !own.test(name))).toEqual([]);
});
