/**
 * docs/citus.md: how each table would lie on a distributed PostgreSQL, and which of its constraints stand in the way. A
 * new table needs a word in `others` unless it has an account; then run this with `-u` and read what it wrote.
 */
import path from 'node:path';
import { expect, test } from 'vitest';
import { createPool } from '../src/engines/db/pool.ts';
import { createTestDatabase } from './support/database.ts';

type Place = 'reference' | 'local' | 'of a parent';

const words = (place: Place, names: string) =>
  names.split(/\s+/).flatMap((name) => (name ? [[name, place] as const] : []));

/** What has no account of its own. */
const others: Record<string, Place> = Object.fromEntries([
  ...words(
    'reference',
    `
  address_requirement_proof_types address_requirements areas caller_names capacity_pool_template_countries
  capacity_pool_template_pricings capacity_pool_templates carrier_rates carrier_routes carriers
  catalogue_version cities countries destination_risks did_group_nanpa_prefixes did_group_types did_groups
  emergency_requirements environment_state nanpa_prefixes pops price_list_lines proof_types regions
  signing_certificates stock_keeping_units supplier_price_rules suppliers supporting_document_templates
  verification_providers
  verification_rates verification_routes verification_settings`,
  ),
  ...words(
    'local',
    `
  available_dids caller_name_cache catalogue_import_parts catalogue_imports daily_counts encryption_keys
  exact_tax_since held_numbers invoice_numbers jobs ledger_verifications operator_keys operators peer_tests
  schema_functions schema_migrations sign_in_failures sip_peers stock_actions stock_blocks stock_counts
  stock_shelf_changes stock_shelves supplied_numbers supplier_differences supplier_groups supplier_offers
  supplier_purchases supplier_requests voice_workers`,
  ),
  ...words(
    'of a parent',
    `
  address_verification_dids api_key_usage api_key_uses call_trace_parts delivery_attempts
  emergency_verification_dids export_pieces kept_files login_challenges login_links order_items passkeys
  sip_registrations stored_file_chunks verification_blocked_starts verification_counters
  verification_sent_messages verification_slots verification_start_counts verification_used_signatures
  voice_out_trunk_dids voice_out_trunk_emergency_dids`,
  ),
]);

interface Table {
  name: string;
  has_account: boolean;
  may_lack_account: boolean;
  uniques: string[];
  references: string[];
  triggers: number;
}

const tablesSql = `
  select c.relname as name, a.attname is not null as has_account, not coalesce(a.attnotnull, false) as may_lack_account,
    array(select i.indexrelid::regclass::text from pg_index i
      where i.indrelid = c.oid and i.indisunique and not coalesce(a.attnum = any (i.indkey), false) order by 1) as uniques,
    array(select distinct f.confrelid::regclass::text from pg_constraint f
      where f.conrelid = c.oid and f.contype = 'f' and not coalesce(a.attnum = any (f.conkey), false) order by 1)
      as "references",
    (select count(*)::int from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers
  from pg_class c
  left join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    and a.attname = case c.relname when 'accounts' then 'id' else 'account_id' end
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;

test('every table has its place', async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.url, { max: 1 });
  const { rows } = await pool.query<Table>(tablesSql);
  await pool.end();
  await database.drop();
  const withoutWord = rows.filter(({ name, has_account: has }) => !has && others[name] === undefined);
  expect(withoutWord.map(({ name }) => name)).toEqual([]);
  const names = rows.map(({ name }) => name);
  expect(Object.keys(others).filter((name) => !names.includes(name))).toEqual([]);
  await expect(pageOf(rows)).toMatchFileSnapshot(path.resolve(import.meta.dirname, '../docs/citus.md'));
});

const meanings: Record<Place | 'by account', string> = {
  'by account':
    'Distributed by `account_id` (`accounts` by `id`), all in one group, so that an account is on one node.',
  reference: 'A copy on every node: read with everything, written seldom.',
  local: 'On the coordinator: shared by all accounts, or of the environment itself.',
  'of a parent':
    'Belongs to a row of an account and does not say whose: needs an `account_id` before it is distributed.',
};

function pageOf(tables: readonly Table[]): string {
  const placeOf = ({ name, has_account: has }: Table) => others[name] ?? (has ? 'by account' : 'local');
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const lineOf = (table: Table) => {
    const isDistributed = placeOf(table) === 'by account';
    const others = table.references.filter((name) =>
      tables.some((to) => to.name === name && placeOf(to) !== 'reference'),
    );
    const cells = isDistributed
      ? [list(table.uniques), list(others), table.may_lack_account ? 'yes' : '', table.triggers || '']
      : ['', list(others), '', table.triggers || ''];
    return `| \`${table.name}\` | ${cells.join(' | ')} |`;
  };
  const sections = Object.entries(meanings).map(([place, meaning]) => {
    const lines = tables.filter((table) => placeOf(table) === place).map(lineOf);
    const head =
      '| Table | Unique without the account | References without the account | Account may be null | Triggers |';
    return `## ${place} (${lines.length})\n\n${meaning}\n\n${head}\n|---|---|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `# The schema on a distributed PostgreSQL

Written by \`test/distributed-schema.test.ts\` from a migrated database. It says by Citus' documented rules how each table
would lie, and what stands in the way. Nothing of it has been tried.

- A unique index of a distributed table must contain the column it is distributed by: those in the second column do not.
- A foreign key between distributed tables must contain it as well, and one from a reference or distributed table to a
  local one cannot be: those in the third column.
- Rows without an account have no node: the fourth.
- Triggers on distributed tables run on the node of the row only, and may touch rows of that node only: the fifth counts
  them. Money, stock and counts of rows are kept by triggers and by functions in SQL that reach several tables.
- An order takes stock, which all accounts share, and money, which is the account's, in one statement
  (\`place_did_order\`): that is the largest obstacle, and the reason to divide customers among installs first.

${sections.join('\n')}`;
}
