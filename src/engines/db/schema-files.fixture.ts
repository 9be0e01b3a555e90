/**
 * Small schemas for tests: a baseline, migrations after it (1001, 1002, …), and functions by the names of their files.
 */
import { baselineOf, functionOf, migrationOf, type SchemaFiles } from './schema-files.ts';

// What the job queue's own tables stand on.
const ground = 'create schema environment_time;\n';

export function schemaOf(
  baseline: string,
  migrations: readonly string[] = [],
  functions: Readonly<Record<string, string>> = {},
): SchemaFiles {
  const made = baselineOf(`${ground}${baseline}\n`);
  return {
    baseline: made,
    moveOver: made,
    migrations: migrations.map((sql, index) => migrationOf(`${1001 + index}_test.sql`, sql)),
    functions: Object.entries(functions).map(([file, sql]) => functionOf(file, sql)),
  };
}
