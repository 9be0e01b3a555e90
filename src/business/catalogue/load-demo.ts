/** Loads the demo catalogue and its call rates once, in one transaction, into an environment without a catalogue. */

import type { Kysely } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import { copyLines, copyRows, inBulkTransaction } from './bulk-write.ts';
import { type DemoCatalogue, demoCatalogue } from './demo.ts';
import { nameBasedId } from './ids.ts';
import { loadRequirements } from './requirements/load-requirements.ts';
import { type RuleBook, shippedRules } from './requirements/rule-files.ts';
import { catalogueTables, type NumberRange } from './rows.ts';

/** Everything that is loaded and can be computed without the database. */
interface BuiltDemo {
  catalogue: DemoCatalogue;
  /** Of `available_dids`, in COPY's text format. */
  numberLines: Iterable<string>;
  rules: RuleBook;
}

interface LoadOptions {
  /** If the caller has it already. */
  built?: BuiltDemo;
  /** A database that nobody uses yet, so that no trigger has anybody to tell, and of a superuser. */
  isDraft?: boolean;
}

/** Returns whether it loaded anything: false if the environment already has a catalogue. */
export async function loadDemoCatalogue(
  env: Pick<Environment, 'pool' | 'db'>,
  { built, isDraft = false }: LoadOptions = {},
): Promise<boolean> {
  const { catalogue } = await env.db.selectFrom('environment_state').select('catalogue').executeTakeFirstOrThrow();
  if (catalogue !== null) return false;
  return inBulkTransaction(env, async ({ client, db }) => {
    const state = await db.selectFrom('environment_state').select('catalogue').forUpdate().executeTakeFirstOrThrow();
    const { countries } = await db
      .selectFrom('countries')
      .select((eb) => eb.fn.countAll<number>().as('countries'))
      .executeTakeFirstOrThrow();
    if (state.catalogue !== null || countries > 0) return false;
    const { catalogue: demo, numberLines, rules } = built ?? buildDemo(sharedCatalogue());
    // To check every reference between rows that this program has made takes longer than to store them; a test does it.
    if (isDraft) await client.query('set local session_replication_role = replica');
    for (const table of catalogueTables) await copyRows(client, table, demo.rows[table]);
    if (isDraft) await client.query('set local session_replication_role = origin');
    if (isDraft) await client.query(`update pg_index set indisready = false, indisvalid = false where ${ofNumbers}`);
    await copyLines(client, 'available_dids (id, number, did_group_id, nanpa_prefix_id)', numberLines);
    // To build the indexes now takes a fifth of the time of entering row after row, and makes them ready and valid
    // again.
    if (isDraft) await client.query('reindex table available_dids');
    await loadRequirements(db, rules);
    await loadDemoVoiceRates(db);
    await db.updateTable('environment_state').set({ catalogue: 'demo' }).execute();
    return true;
  });
}

const ofNumbers = "indrelid = 'available_dids'::regclass";

/** Both environments may load it at the same time: it is built once, and kept while it is used. */
let cached: WeakRef<DemoCatalogue> | undefined;

function sharedCatalogue(): DemoCatalogue {
  const known = cached?.deref();
  if (known) return known;
  const catalogue = demoCatalogue();
  cached = new WeakRef(catalogue);
  return catalogue;
}

/** The lines of numbers are computed one by one, when they are taken. */
export const buildDemo = (catalogue: DemoCatalogue): BuiltDemo & { numberLines: IterableIterator<string> } => ({
  catalogue,
  numberLines: linesOfAll(catalogue.ranges),
  rules: shippedRules(),
});

/**
 * Rows of `available_dids` in COPY's text format, one range at a time: the next is computed while the database stores
 * this one.
 */
function* linesOfAll(ranges: readonly NumberRange[]): IterableIterator<string> {
  // In index order, so that the index grows at its end.
  for (const range of [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1))) yield linesOf(range);
}

function linesOf({ first, count, did_group_id, nanpa_prefix_id }: NumberRange): string {
  let lines = '';
  for (let i = 0; i < count; i++) {
    const number = String(Number(first) + i);
    // Digits and UUIDs need no escaping; this runs once per number.
    lines += `${nameBasedId('available_dids', number)}\t${number}\t${did_group_id}\t${nanpa_prefix_id ?? '\\N'}\n`;
  }
  return lines;
}

/**
 * Prefix, country, and the forwarding and termination rates per minute. The empty prefix is every other destination.
 */
const destinations = [
  ['', null, '0.09', '0.12'],
  ['1', 'United States', '0.011', '0.009'],
  ['31', 'Netherlands', '0.018', '0.014'],
  ['32', 'Belgium', '0.019', '0.015'],
  ['33', 'France', '0.016', '0.011'],
  ['34', 'Spain', '0.015', '0.01'],
  ['351', 'Portugal', '0.017', '0.012'],
  ['353', 'Ireland', '0.018', '0.013'],
  ['39', 'Italy', '0.017', '0.012'],
  ['41', 'Switzerland', '0.035', '0.03'],
  ['43', 'Austria', '0.021', '0.017'],
  ['44', 'United Kingdom', '0.012', '0.008'],
  ['45', 'Denmark', '0.016', '0.011'],
  ['46', 'Sweden', '0.013', '0.009'],
  ['47', 'Norway', '0.014', '0.01'],
  ['48', 'Poland', '0.017', '0.012'],
  ['49', 'Germany', '0.014', '0.0095'],
  ['55', 'Brazil', '0.03', '0.024'],
  ['61', 'Australia', '0.02', '0.016'],
  ['65', 'Singapore', '0.019', '0.015'],
  ['81', 'Japan', '0.04', '0.035'],
] as const;

async function loadDemoVoiceRates(db: Kysely<Schema>): Promise<void> {
  const rates = destinations.flatMap(([prefix, country, forwarding, termination]) => [
    { kind: 'pstn_forwarding' as const, prefix, country, per_minute: forwarding },
    { kind: 'termination' as const, prefix, country, per_minute: termination },
  ]);
  const tollFree = {
    kind: 'toll_free' as const,
    prefix: '',
    per_minute: '0.03',
    initial_interval: 60,
    next_interval: 60,
  };
  // Caller names exist in North America only.
  const name = { kind: 'cnam_lookup' as const, prefix: '1', per_minute: '0', connection_fee: '0.008' };
  await db
    .insertInto('voice_rates')
    .values([...rates, tollFree, name])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
