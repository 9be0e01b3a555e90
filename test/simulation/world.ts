/** The database that a simulation begins with: a few customers with money, and numbers for sale. */
import pg from 'pg';
import { createAccount } from '../../src/business/accounts/accounts.ts';
import { createApiKey } from '../../src/business/accounts/api-keys.ts';
import { newestVersion } from '../../src/interfaces/platform/versions/versions.ts';
import { idOf, insert, loadGroups, loadPoolTemplate, stockNumbers } from '../support/small-catalogue.ts';
import { createTelephony } from '../support/telephony.ts';
import { nowhere } from './network.ts';
import { openEnvironment } from './simulated-environment.ts';

export interface Customer {
  readonly name: string;
  readonly accountId: string;
  readonly key: string;
  /** Of channels. */
  readonly poolId: string;
  readonly trunkId: string;
}

interface World {
  readonly databaseUrl: string;
  readonly customers: readonly Customer[];
  drop(): Promise<void>;
}

export interface Place {
  /** PostgreSQL as a superuser. */
  readonly server: string;
  /** The name of a database at the newest schema. */
  readonly template: string;
}

const group = 'simulated';
export const groupId = idOf('did_groups', group);
export const skuId = idOf('stock_keeping_units', group);
export const stocked = 60;
const opening = '400';

/** `server` is a PostgreSQL with a template of the newest schema, and this process may do everything in it. */
export async function layOutWorld({ server, template }: Place, at: Date): Promise<World> {
  const name = `simulation_${process.pid}_${Date.now().toString(36)}`;
  await administer(server, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const clock = { now: () => at };
  const env = await openEnvironment({ databaseUrl: url.href, clock, outbound: nowhere, logged: () => undefined });
  const { pool } = env;
  try {
    await pool.query(seededIds);
    await pool.query('update environment_state set clock_stands_at = $1', [at]);
    await pool.query(witnesses);
    await loadGroups(pool, {
      [group]: {
        country: 'GB',
        features: ['voice_in'],
        is_metered: true,
        offers: [{ name: group, setup: 0.5, monthly: 2, channels: 1 }],
      },
    });
    await stockNumbers(
      pool,
      group,
      Array.from({ length: stocked }, (_, index) => `4420376918${index + 10_000}`),
    );
    const telephony = await createTelephony(env);
    await loadPoolTemplate(pool, {
      ...{ name: 'Standard', minimum_limit: 0, minimum_qty_per_order: 1 },
      ...{ setup_price: 1, monthly_price: 3, metered_rate: 0.6 },
    });
    const country = { template_id: idOf('capacity_pool_templates', 'Standard'), country_id: idOf('countries', 'GB') };
    await insert(pool, 'capacity_pool_template_countries', [country]);
    const customers: Customer[] = [];
    for (const customer of ['ada', 'ben', 'cleo']) {
      const { id } = await createAccount(env, {
        name: customer,
        balance: opening,
        apiVersion: newestVersion,
        callEvents: { url: `http://${customer}.test/events`, gzip: false },
      });
      const { key } = await createApiKey(env, id, { name: 'simulated', rateLimit: 1_000_000 });
      const pools = await pool.query(
        'select p.id from capacity_pools p join capacity_pool_templates t on t.id = p.template_id where account_id = $1 and t.name = $2',
        [id, 'Standard'],
      );
      customers.push({
        ...{ name: customer, accountId: id, key },
        poolId: pools.rows[0].id,
        trunkId: await telephony.trunk(id),
      });
    }
    return {
      databaseUrl: url.href,
      customers,
      drop: () => administer(server, `drop database ${name} with (force)`),
    };
  } finally {
    await env.changes.close();
    await pool.end();
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Ids that the database makes are the same in every run. */
const seededIds = `
  create sequence simulated_ids;
  create function simulated_uuid() returns uuid language sql volatile as $$
    select overlay(overlay(md5('simulated ' || nextval('public.simulated_ids')) placing '4' from 13) placing '8' from 17)::uuid
  $$;
  do $do$
  declare
    found record;
  begin
    for found in
      select d.adrelid::regclass as relation, a.attname
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where pg_get_expr(d.adbin, d.adrelid) = 'gen_random_uuid()'
    loop
      execute format('alter table %s alter column %I set default simulated_uuid()', found.relation, found.attname);
    end loop;
    for found in
      select replace(pg_get_functiondef(p.oid), 'gen_random_uuid()', 'simulated_uuid()') as definition
      from pg_proc p where p.prosrc like '%gen_random_uuid()%' and p.prokind = 'f'
        and p.pronamespace in (select oid from pg_namespace where nspname in ('public', 'environment_time'))
    loop
      execute found.definition;
    end loop;
  end $do$`;

/** What happened, as the database itself has seen it commit. */
const witnesses = `
  create table seen_trunk_changes (id bigserial, trunk_id uuid, status text);
  create function see_trunk_change() returns trigger language plpgsql as $$
  begin
    insert into seen_trunk_changes (trunk_id, status) values (new.id, new.status);
    return null;
  end $$;
  create trigger seen after update of status on voice_out_trunks for each row when (old.status is distinct from new.status)
    execute function see_trunk_change();`;
