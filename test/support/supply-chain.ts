/**
 * Two Trunklines in a row: customers buy from the retail one, which has an account at the wholesale one. What is
 * between them is real HTTP, and can be spoiled.
 */
import { seal } from '../../src/business/accounts/secret.ts';
import { supplierKeyPurpose } from '../../src/business/suppliers/open-supplier.ts';
import { advanceClock, runDueJobs } from './environment.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { type GroupName, openShop, type Shop } from './shop.ts';
import { insert } from './small-catalogue.ts';

interface SupplyChain {
  readonly retail: Shop;
  readonly wholesale: Shop;
  /** Between them. */
  readonly line: FaultyProxy;
  readonly supplierId: string;
  /** Tells retail what wholesale has of its groups. */
  count(): Promise<void>;
  /** Lets both work until neither has anything to do at this time, then moves their clocks. */
  settle(seconds?: number): Promise<void>;
  close(): Promise<void>;
}

const supplied: readonly GroupName[] = ['london', 'fixed', 'newyork', 'registered'];

export async function openSupplyChain(): Promise<SupplyChain> {
  const wholesale = await openShop({ account: { balance: '100000' }, name: 'production' });
  const retail = await openShop();
  const line = await startFaultyProxy(wholesale.url);
  const { pool, serverKey } = retail.env;
  // Databases of tests are copies of one: each gets a name of its own.
  for (const { env } of [retail, wholesale]) {
    await env.pool.query('update environment_state set installation = gen_random_uuid()');
  }
  const [supplier] = await insertReturning(retail, 'suppliers', {
    name: 'Wholesale',
    url: `${line.url}/v3`,
    sealed_api_key: seal(serverKey, supplierKeyPurpose, wholesale.key),
    countries: '{GB,DE,US}',
    markup_percent: 50,
    active: true,
    created_at: retail.clock.now(),
  });
  const supplierId = String(supplier?.id);
  for (const name of supplied) {
    const [group] = await insertReturning(retail, 'supplier_groups', {
      supplier_id: supplierId,
      their_id: wholesale.groups[name],
      country: 'GB',
      did_group_type: 'Local',
      prefix: '20',
      area_name: name,
      features: '{voice_in}',
      is_metered: false,
      allow_additional_channels: true,
      available_dids_enabled: true,
      needs_registration: false,
      is_available: true,
      stock: 0,
      on_sale: true,
      did_group_id: retail.groups[name],
      reading: '11111111-1111-4111-8111-111111111111',
    });
    const offer = { channels_included_count: 2, their_id: wholesale.skus[name], setup_cost: 0.5, monthly_cost: 2 };
    await insert(pool, 'supplier_offers', [{ supplier_group_id: group?.id, ...offer }]);
  }
  // Orders that lack numbers wait only where the supplier lets them.
  await pool.query('update did_groups set back_orderable = false');
  const chain = {
    ...{ retail, wholesale, line, supplierId },
    async count() {
      for (const name of supplied) {
        const { rows } = await wholesale.env.pool.query(
          'select count(*)::int as n from available_dids where did_group_id = $1',
          [wholesale.groups[name]],
        );
        const values = [rows[0].n, wholesale.groups[name]];
        await pool.query('update supplier_groups set stock = $1 where their_id = $2', values);
      }
    },
    async settle(seconds = 0) {
      await runDueJobs(retail.env);
      await runDueJobs(wholesale.env);
      for (let gone = 0; gone < seconds; ) {
        const step = Math.min(seconds - gone, 60);
        gone += step;
        wholesale.clock.advance(step);
        await runDueJobs(wholesale.env);
        await advanceClock(retail.env, step);
        await runDueJobs(wholesale.env);
      }
    },
    async close() {
      await line.close();
      await retail.close();
      await wholesale.close();
    },
  };
  return chain;
}

async function insertReturning(shop: Shop, table: string, row: Record<string, unknown>) {
  const names = Object.keys(row);
  const text = `insert into ${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning *`;
  return (await shop.env.pool.query(text, Object.values(row))).rows as Record<string, unknown>[];
}
