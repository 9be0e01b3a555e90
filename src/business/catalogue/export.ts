/** Writes the catalogue in the format that `catalogue import` reads, from one consistent snapshot. */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Environment } from '../../engines/environment.ts';

type ExportFormat = 'jsonl' | 'csv';

/**
 * `csv` contains only the numbers, `jsonl` everything. Countries and types are written by name, other references by id.
 */
export async function exportCatalogue(env: Environment, format: ExportFormat, out: Writable): Promise<void> {
  const client = await env.pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const chunks = copyOut(client, format === 'csv' ? [numbersAsCsv] : queries.map(asLines));
    await pipeline(chunks, out, { end: out !== process.stdout });
    await client.query('commit');
    client.release();
  } catch (error) {
    // An interrupted COPY cannot be resumed, so the connection is closed.
    client.release(true);
    throw error;
  }
}

async function* copyOut(client: PoolClient, statements: string[]): AsyncGenerator<Buffer> {
  for (const statement of statements) yield* client.query(copyTo(statement));
}

const numbersAsCsv = `copy (select number, did_group_id from available_dids order by number) to stdout with (format csv, header)`;

/** Uses CSV with a delimiter and a quote that JSON text never contains, so that every line is written unchanged. */
function asLines(query: string): string {
  return `copy (${query}) to stdout with (format csv, delimiter e'\\x01', quote e'\\x02')`;
}

/** Ordered so that every record comes after the records it refers to. */
const queries = [
  `select json_build_object('type', 'countries', 'id', id, 'iso', iso, 'name', name, 'prefix', prefix) from countries order by iso`,
  `select json_build_object('type', 'regions', 'id', r.id, 'country', c.iso, 'iso', r.iso, 'name', r.name)
   from regions r join countries c on c.id = r.country_id order by c.iso, r.iso, r.id`,
  `select json_build_object('type', 'areas', 'id', a.id, 'country', c.iso, 'name', a.name)
   from areas a join countries c on c.id = a.country_id order by c.iso, a.name, a.id`,
  `select json_build_object('type', 'cities', 'id', t.id, 'country', c.iso, 'region', t.region_id, 'area', t.area_id, 'name', t.name)
   from cities t join countries c on c.id = t.country_id order by c.iso, t.name, t.id`,
  `select json_build_object('type', 'pops', 'id', id, 'name', name) from pops order by name, id`,
  `select json_build_object('type', 'did_group_types', 'id', id, 'name', name) from did_group_types order by name`,
  `select json_build_object('type', 'did_groups', 'id', g.id, 'country', c.iso, 'region', g.region_id, 'city', g.city_id,
     'did_group_type', t.name, 'prefix', g.prefix, 'area_name', g.area_name, 'features', g.features,
     'is_metered', g.is_metered, 'allow_additional_channels', g.allow_additional_channels,
     'service_restrictions', g.service_restrictions, 'available_dids_enabled', g.available_dids_enabled,
     'needs_registration', g.needs_registration, 'back_orderable', g.back_orderable)
   from did_groups g join countries c on c.id = g.country_id join did_group_types t on t.id = g.did_group_type_id
   order by c.iso, t.name, g.prefix, g.area_name, g.id`,
  `select json_build_object('type', 'stock_keeping_units', 'id', id, 'did_group', did_group_id, 'setup_price', setup_price::text,
     'monthly_price', monthly_price::text, 'channels_included_count', channels_included_count)
   from stock_keeping_units order by did_group_id, channels_included_count`,
  `select json_build_object('type', 'nanpa_prefixes', 'id', n.id, 'country', c.iso, 'region', n.region_id, 'npa', n.npa, 'nxx', n.nxx,
     'did_groups', coalesce((select json_agg(l.did_group_id order by l.did_group_id)
                             from did_group_nanpa_prefixes l where l.nanpa_prefix_id = n.id), '[]'))
   from nanpa_prefixes n join countries c on c.id = n.country_id order by n.npa, n.nxx`,
  `select json_build_object('type', 'capacity_pools', 'id', p.id, 'name', p.name, 'minimum_limit', p.minimum_limit,
     'minimum_qty_per_order', p.minimum_qty_per_order, 'setup_price', p.setup_price::text,
     'monthly_price', p.monthly_price::text, 'metered_rate', p.metered_rate::text,
     'countries', coalesce((select json_agg(c.iso order by c.iso) from capacity_pool_template_countries l
                            join countries c on c.id = l.country_id where l.template_id = p.id), '[]'),
     'qty_based_pricings', coalesce((select json_agg(json_build_object('qty', q.qty, 'setup_price', q.setup_price::text,
                            'monthly_price', q.monthly_price::text) order by q.qty)
                            from capacity_pool_template_pricings q where q.template_id = p.id), '[]'))
   from capacity_pool_templates p order by p.name`,
  `select json_build_object('type', 'available_dids', 'id', id, 'number', number, 'did_group_id', did_group_id)
   from available_dids order by number`,
];
