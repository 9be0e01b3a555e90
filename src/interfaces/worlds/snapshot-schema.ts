/**
 * Which snapshot files can be loaded into a database of the newest schema, by the migrations of the database that they
 * are from.
 */
import type { Migration, SchemaFiles } from '../../engines/db/schema-files.ts';
import { BadSnapshotFile, newerFile, olderFile, type SnapshotHeader } from './snapshot-format.ts';

/**
 * Rows of an older schema are loaded as they are: a column that was added since then gets its default. A migration
 * since then that does more would have to run on them.
 */
export function requireLoadable({ migrations }: SnapshotHeader, files: SchemaFiles): void {
  const known = new Map([files.baseline, ...files.migrations].map((migration) => [migration.version, migration]));
  for (const { version, checksum } of migrations) {
    const found = known.get(version);
    if (found === undefined) throw new BadSnapshotFile(version < files.baseline.version ? olderFile : newerFile);
    if (found.checksum !== checksum)
      throw new BadSnapshotFile(`The file has another form of ${found.name} than this Trunkline.`);
    known.delete(version);
  }
  const missing = [...known.values()];
  if (missing.some((migration) => migration === files.baseline || changesRows(migration)))
    throw new BadSnapshotFile(olderFile);
}

const changesRows = ({ sql }: Migration): boolean =>
  /^\s*(update|insert|delete|with|select|do|truncate)\b|\b(rename|drop column|set not null|alter column \w+ (set data )?type)\b/im.test(
    sql.replaceAll(/--.*$/gm, ''),
  );
