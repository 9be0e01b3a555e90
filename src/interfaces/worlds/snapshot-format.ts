/**
 * The form of a snapshot file, gzipped: a line of JSON with the schema it has, then for every table of copied-tables.ts
 * that has rows a line of JSON and its rows as PostgreSQL copies them, ended by `\.`. Nothing of it is run as SQL, and
 * it holds no key: secrets are left out, or the whole file is sealed with a passphrase (sealed-file.ts).
 */
export const snapshotFormat = 2;

export interface SnapshotHeader {
  trunkline_snapshot: typeof snapshotFormat;
  saved_at: string;
  /** What its schema consists of (snapshot-schema.ts). */
  migrations: { version: number; name: string; checksum: string }[];
  /** Whether secrets are in it, in clear: only a file that is sealed has them. Otherwise they are made anew. */
  secrets: boolean;
  state: SnapshotState;
}

export interface SnapshotState {
  clock_offset_ms: number;
  clock_factor: number | null;
  catalogue: string | null;
}

export interface TableHead {
  table: string;
  columns: string[];
}

/** After the rows of a table. */
export const endOfTable = '\\.';

/** The file is not a snapshot that can be loaded here; the text says why. */
export class BadSnapshotFile extends Error {}

export function readHeader(line: string | undefined): SnapshotHeader {
  const header = parsed(line);
  const { trunkline_snapshot: format } = header;
  if (format !== snapshotFormat) {
    if (typeof format !== 'number') throw notASnapshot();
    throw new BadSnapshotFile(format > snapshotFormat ? newerFile : keptKeys);
  }
  if (!isHeader(header)) throw damaged();
  return header;
}

/** A century, which is as far as a clock can be moved, and what its factor may be. */
const furthestMs = 100 * 366 * 86_400_000;
const largestFactor = 1_000;

function isHeader(value: object): value is SnapshotHeader {
  const { migrations, secrets, state } = value as Partial<SnapshotHeader>;
  if (!Array.isArray(migrations) || !migrations.every(isMigration)) return false;
  if (typeof secrets !== 'boolean' || typeof state !== 'object' || state === null) return false;
  const { clock_offset_ms: offset, clock_factor: factor, catalogue } = state;
  const within = (number: unknown, least: number, most: number) =>
    Number.isSafeInteger(number) && Number(number) >= least && Number(number) <= most;
  return (
    within(offset, -furthestMs, furthestMs) &&
    (factor === null || within(factor, 1, largestFactor)) &&
    (catalogue === null || (typeof catalogue === 'string' && catalogue.length <= 100))
  );
}

function isMigration(value: unknown): boolean {
  const { version, name, checksum } = Object(value) as Partial<SnapshotHeader['migrations'][number]>;
  return Number.isSafeInteger(version) && typeof name === 'string' && typeof checksum === 'string';
}

/** The line before the rows of a table. */
export function readHead(line: string): TableHead {
  const { table, columns } = parsed(line);
  if (typeof table !== 'string' || !Array.isArray(columns)) throw damaged();
  return { table, columns: columns.map(String) };
}

export const newerFile = 'The file was saved by a newer Trunkline; load it there, or upgrade this one.';
const keptKeys =
  'The file was saved by an older Trunkline, whose files held the keys of every account. Make it anew from the world or the seed.';
export const olderFile =
  'The file was saved by an older Trunkline, and its rows would have to be migrated. Make it anew from the world or the seed.';
export const damaged = (): BadSnapshotFile => new BadSnapshotFile('The file is damaged.');
export const notASnapshot = (): BadSnapshotFile => new BadSnapshotFile('The file is not a snapshot.');

function parsed(line: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line ?? '');
    return { ...Object(value) };
  } catch {
    throw notASnapshot();
  }
}
