/**
 * Databases from before the baseline, when every function lay in numbered migrations. Of those only the last schema of
 * 0.1.0 is taken over (move-over.sql); an older one has to be brought there first.
 */
import { createHash } from 'node:crypto';
import { OperatorError } from '../../base/operator-error.ts';
import type { Migration } from './schema-files.ts';

const lastVersion = 660;
/** Of the numbers and checksums of its ninety migrations. */
const lastChecksum = '104cce34e6ba64a7432d9812646c9c9f7bb869fb104b7642fb4958bf63fd607c';
const lastProgram = 'Trunkline 0.1.0 at commit 1a3f0675';

/** Throws unless the database has the last schema before the baseline. */
export function requireLastSchema(applied: readonly Omit<Migration, 'sql'>[]): void {
  const newest = applied.at(-1);
  if (newest === undefined || newest.version < lastVersion) {
    throw new OperatorError(
      `The database has the schema ${newest?.name}, which is too old for this Trunkline; start ${lastProgram} on it first, then this one.`,
    );
  }
  if (newest.version > lastVersion) {
    throw new OperatorError(
      `The database has the schema ${newest.name}, which was never released, and this Trunkline cannot take it over; use a database of ${lastProgram}, or an empty one.`,
    );
  }
  const text = applied.map(({ version, checksum }) => `${version}:${checksum}`).join(',');
  if (createHash('sha256').update(text).digest('hex') !== lastChecksum) {
    throw new OperatorError(
      `The database was made with another text of its migrations than ${lastProgram} has; a migration that has run must not be changed.`,
    );
  }
}
