/** Loads the demo catalogue once, in one transaction, into an environment without a catalogue. */
import type { Environment } from '../environment.ts';
import { copyLines, copyRows } from './copy-rows.ts';
import { demoCatalogue } from './demo.ts';
import { loadDemoVoiceRates } from './demo-voice-rates.ts';
import { nameBasedId } from './name-based-id.ts';
import { loadRequirements } from './requirements/load-requirements.ts';
import { catalogueTables, type NumberRange } from './rows.ts';
import { inBulkTransaction } from './transaction.ts';

/** Returns whether it loaded anything: false if the environment already has a catalogue. */
export async function loadDemoCatalogue(env: Environment): Promise<boolean> {
  const { catalogue } = await env.db.selectFrom('environment_state').select('catalogue').executeTakeFirstOrThrow();
  if (catalogue !== null) return false;
  return inBulkTransaction(env, async ({ client, db }) => {
    const state = await db.selectFrom('environment_state').select('catalogue').forUpdate().executeTakeFirstOrThrow();
    const { countries } = await db
      .selectFrom('countries')
      .select((eb) => eb.fn.countAll<number>().as('countries'))
      .executeTakeFirstOrThrow();
    if (state.catalogue !== null || countries > 0) return false;
    const stock = demoStock();
    for (const table of catalogueTables) await copyRows(client, table, stock.rows[table]);
    await copyLines(client, 'available_dids (id, number, did_group_id, nanpa_prefix_id)', stock.numbers);
    await loadRequirements(db);
    await loadDemoVoiceRates(db);
    await db.updateTable('environment_state').set({ catalogue: 'demo' }).execute();
    return true;
  });
}

interface DemoStock {
  readonly rows: ReturnType<typeof demoCatalogue>['rows'];
  /** Rows of `available_dids` in COPY's text format, one range of numbers per string. */
  readonly numbers: readonly string[];
}

/** Both environments load it at the same time on a first start: it is built once, and kept while it is used. */
let cachedStock: WeakRef<DemoStock> | undefined;

function demoStock(): DemoStock {
  const known = cachedStock?.deref();
  if (known) return known;
  const { rows, ranges } = demoCatalogue();
  // In index order, so that the index grows at its end.
  const numbers = [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1)).map(linesOf);
  const stock = { rows, numbers };
  cachedStock = new WeakRef(stock);
  return stock;
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
