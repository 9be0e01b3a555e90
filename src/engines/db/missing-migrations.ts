/** What a database lacks of the schema of this program, and which databases are refused. */
import { OperatorError } from '../../base/operator-error.ts';
import { requireLastSchema } from './move-over.ts';
import type { Migration, SchemaFiles } from './schema-files.ts';

export type AppliedMigration = Omit<Migration, 'sql'>;

/** Throws for a database that has something else than these files, or more. */
export function missingMigrations(applied: readonly AppliedMigration[], files: SchemaFiles): readonly Migration[] {
  if (applied.some(({ version }) => version < files.baseline.version)) {
    refuseUnknown(
      applied.filter(({ version }) => version >= files.baseline.version),
      files,
    );
    requireLastSchema(applied);
    return [files.moveOver, ...files.migrations];
  }
  refuseUnknown(applied, files);
  const versions = new Set(applied.map(({ version }) => version));
  return files.migrations.filter(({ version }) => !versions.has(version));
}

/** A database that knows more than this program, or something else, is left alone. */
function refuseUnknown(applied: readonly AppliedMigration[], { baseline, migrations }: SchemaFiles): void {
  for (const row of applied) {
    const known = [baseline, ...migrations].find(({ version }) => version === row.version);
    if (known === undefined) {
      throw new OperatorError(
        `The database has the newer schema ${row.name}, which this Trunkline does not know; start the version that made it, or a newer one.`,
      );
    }
    if (known.checksum !== row.checksum) {
      throw new OperatorError(
        `The database was made with another text of ${row.name} than this Trunkline has; a migration that has run must not be changed.`,
      );
    }
  }
}
