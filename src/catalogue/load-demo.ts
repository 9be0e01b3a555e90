/** Loads the demo catalogue into an environment that has none: all or nothing, and only once. */
import type { Environment } from '../environment.ts';
import { copyLine, copyLines, copyRows } from './copy-rows.ts';
import { demoCatalogue } from './demo.ts';
import { loadDemoVoiceRates } from './demo-voice-rates.ts';
import { nameBasedId } from './name-based-id.ts';
import { loadRequirements } from './requirements/load-requirements.ts';
import { catalogueTables, type NumberRange } from './rows.ts';
import { inBulkTransaction } from './transaction.ts';

export interface LoadOptions {
  onProgress?: (done: { numbers: number; of: number }) => void;
}

/** Answers whether it loaded anything; false when the environment has a catalogue, the demo's or the operator's own. */
export async function loadDemoCatalogue(env: Environment, { onProgress }: LoadOptions = {}): Promise<boolean> {
  const { catalogue } = await env.db.selectFrom('environment_state').select('catalogue').executeTakeFirstOrThrow();
  if (catalogue !== null) return false;
  return inBulkTransaction(env, async ({ client, db }) => {
    const state = await db.selectFrom('environment_state').select('catalogue').forUpdate().executeTakeFirstOrThrow();
    const { countries } = await db
      .selectFrom('countries')
      .select((eb) => eb.fn.countAll<number>().as('countries'))
      .executeTakeFirstOrThrow();
    if (state.catalogue !== null || countries > 0) return false;
    const { rows, ranges } = demoCatalogue();
    for (const table of catalogueTables) await copyRows(client, table, rows[table]);
    await copyLines(
      client,
      'available_dids (id, number, did_group_id, nanpa_prefix_id)',
      numbersIn(ranges, onProgress),
    );
    await loadRequirements(db);
    await loadDemoVoiceRates(db);
    await db.updateTable('environment_state').set({ catalogue: 'demo' }).execute();
    return true;
  });
}

function* numbersIn(ranges: NumberRange[], onProgress: LoadOptions['onProgress']): Generator<string> {
  const of = ranges.reduce((sum, { count }) => sum + count, 0);
  let numbers = 0;
  // In the order of the index, which then grows at its end.
  const sorted = [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1));
  for (const { first, count, did_group_id, nanpa_prefix_id } of sorted) {
    let lines = '';
    for (let i = 0; i < count; i++) {
      const number = String(Number(first) + i);
      lines += copyLine([nameBasedId('available_dids', number), number, did_group_id, nanpa_prefix_id]);
    }
    yield lines;
    numbers += count;
    onProgress?.({ numbers, of });
  }
}
