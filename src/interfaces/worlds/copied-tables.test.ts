/** Of every table it is said what a copy of an account does with it, and of every secret in them what becomes of it. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { sealedColumns } from '../../run/boot/sealed-columns.ts';
import { copiedTables, derivedTables, leftBehind, rowsOfItsOwn } from './copied-tables.ts';

const house = useOpened(() => createTestEnvironment());
const names = copiedTables.map(({ table }) => table);
const query = async <Row extends object>(text: string): Promise<Row[]> => (await house.env.pool.query(text)).rows;

test('every table is in one of the lists', async () => {
  const tables = await query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  expect([...names, ...derivedTables, ...rowsOfItsOwn, ...leftBehind].toSorted()).toEqual(
    tables.map(({ name }) => name).toSorted(),
  );
});

test('every table with rows of accounts says which are copied, and what rows refer to is copied before them', async () => {
  const references = await query<{ child: string; parent: string }>(
    `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
     where contype = 'f' and conrelid <> confrelid and conparentid = 0`,
  );
  const owned = await query<{ table: string }>(
    `select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const withRows = new Set(copiedTables.filter(({ rows }) => rows !== undefined).map(({ table }) => table));
  for (const { table } of owned) if (names.includes(table)) expect(withRows).toContain(table);
  for (const { child, parent } of references) {
    if (!names.includes(child)) continue;
    expect(names.slice(0, names.indexOf(child)), `${child} refers to ${parent}`).toContain(parent);
    // Else all rows of it were copied.
    if (withRows.has(parent)) expect(withRows).toContain(child);
  }
});

test('every column that may hold a secret says what becomes of it, and every column that is named exists', async () => {
  const columns = await query<{ table: string; column: string; type: string }>(
    `select table_name as table, column_name as column, data_type as type from information_schema.columns
     where table_schema = 'public'`,
  );
  const notSecrets = [
    'stored_files.fingerprint',
    'otp_applications.key',
    'verifications.app_hash',
    'supporting_document_templates.storage_key',
  ];
  for (const { table, secrets = {}, without = [], notInFiles = [], instead = {}, month } of copiedTables) {
    if (notInFiles === 'all') continue;
    const own = columns.filter((column) => column.table === table).map(({ column }) => column);
    const named = [
      ...Object.keys(secrets),
      ...without,
      ...notInFiles,
      ...Object.keys(instead),
      ...(month ? [month] : []),
    ];
    expect(own).toEqual(expect.arrayContaining(named));
    const suspicious = own.filter(
      (column) =>
        /^sealed_|_hash$|password|secret|token|(^|_)key$/.test(column) && !notSecrets.includes(`${table}.${column}`),
    );
    const settled = [...Object.keys(secrets), ...without, ...notInFiles];
    expect(settled, table).toEqual(expect.arrayContaining(suspicious));
  }
  for (const { table, column } of sealedColumns) {
    const copied = copiedTables.find((known) => known.table === table);
    if (copied !== undefined) expect(Object.keys(copied.secrets ?? {})).toContain(column);
  }
});
