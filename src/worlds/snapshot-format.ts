/**
 * The form of a snapshot file, gzipped: a line of JSON with the schema it has, then for every table a line of JSON and its rows
 * as PostgreSQL copies them, ended by `\.`; then the sequences. Nothing of it is run as SQL.
 */
import { createGunzip } from 'node:zlib';

export const snapshotFormat = 1;

export interface SnapshotHeader {
  trunkline_snapshot: typeof snapshotFormat;
  saved_at: string;
  /** What its schema consists of; a newer program applies what is missing. */
  migrations: { version: number; name: string; checksum: string }[];
  /** What secrets in it are sealed with: they are no more secret than the file. */
  key: string;
  partitions: Partition[];
}

export interface Partition {
  parent: string;
  name: string;
  from: string;
  to: string;
}

export interface TableHead {
  /** With its schema, quoted. */
  table: string;
  columns: string[];
}

interface SequenceHead {
  sequence: string;
  value: string;
}

/** The file is not a snapshot that can be loaded here; the text says why. */
export class BadSnapshotFile extends Error {}

/** The lines of a file. One that grows beyond `mostBytes` is refused before it fills the disk. */
export async function* linesOf(file: Buffer, mostBytes: number): AsyncGenerator<string> {
  const unzipped = createGunzip();
  unzipped.end(file);
  let [rest, bytes] = ['', 0];
  try {
    for await (const chunk of unzipped.setEncoding('utf8')) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new BadSnapshotFile('The file is larger than the disk that worlds may take.');
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if (error instanceof BadSnapshotFile || !(error instanceof Error && 'code' in error)) throw error;
    throw new BadSnapshotFile('The file is not a snapshot, or it is cut off.');
  }
  if (rest !== '') throw new BadSnapshotFile('The file is cut off.');
}

export function readHeader(line: string | undefined): SnapshotHeader {
  const header = parsed(line);
  if (header.trunkline_snapshot !== snapshotFormat) {
    const isNewer = typeof header.trunkline_snapshot === 'number' && header.trunkline_snapshot > snapshotFormat;
    throw new BadSnapshotFile(isNewer ? newerFile : 'The file is not a snapshot.');
  }
  if (!isHeader(header)) throw damaged();
  return header;
}

function isHeader(value: object): value is SnapshotHeader {
  return 'migrations' in value && 'key' in value && 'partitions' in value && Array.isArray(value.migrations);
}

/** The line before the rows of a table, or that of a sequence. */
export function readHead(line: string): TableHead | SequenceHead {
  const head: object = parsed(line);
  if (!isTableHead(head) && !isSequenceHead(head)) throw damaged();
  return head;
}

export function isTableHead(head: object): head is TableHead {
  return 'table' in head && typeof head.table === 'string' && 'columns' in head && Array.isArray(head.columns);
}

function isSequenceHead(head: object): head is SequenceHead {
  return 'sequence' in head && 'value' in head && /^\d{1,19}$/.test(String(head.value));
}

export const newerFile = 'The file was saved by a newer Trunkline; load it there, or upgrade this one.';
export const damaged = (): BadSnapshotFile => new BadSnapshotFile('The file is damaged.');

function parsed(line: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line ?? '');
    return { ...Object(value) };
  } catch {
    throw new BadSnapshotFile('The file is not a snapshot.');
  }
}
