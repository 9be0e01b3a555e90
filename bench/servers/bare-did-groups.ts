/** `GET /v3/did_groups` with three includes, first page, as a bare handler: what the engine is compared with. */
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { groupObject, links } from './bare-documents.ts';

const groupsStatement = `select t.id, t.prefix, t.area_name, t.features, t.is_metered, t.allow_additional_channels, t.service_restrictions,
  t.country_id, t.did_group_type_id, t.available_dids_enabled, t.needs_registration,
  (t.back_orderable or exists (select from stock_blocks b where b.did_group_id = t.id and b.available > 0)) as is_available,
  coalesce((select sum(b.available) from stock_blocks b where b.did_group_id = t.id), 0)::int as total_count
  from did_groups t order by t.id limit $1 offset $2`;
const countStatement = 'select count(*)::int as total from did_groups';
const countriesStatement = 'select id, name, prefix, iso from countries where id = any($1::uuid[])';
const typesStatement = 'select id, name from did_group_types where id = any($1::uuid[])';
const unitsStatement = `select id, setup_price, monthly_price, channels_included_count, did_group_id from stock_keeping_units
  where did_group_id = any($1::uuid[]) order by channels_included_count, id`;

/** A decimal with trailing zeros trimmed and at least one decimal. */
export const typedDecimal = (text: string) => {
  const trimmed = text.replace(/0+$/, '');
  return trimmed.endsWith('.') ? `${trimmed}0` : trimmed;
};

/** `GET /v3/did_groups?include=country,did_group_type,stock_keeping_units`, first page. */
export function registerBareDidGroups(app: FastifyInstance, pool: Pool): void {
  app.get('/v3/did_groups', async (request, reply) => {
    const base = `${request.protocol}://${request.host}/v3`;
    const { rows: groups } = await pool.query({ name: 'g', text: groupsStatement, values: [50, 0] });
    const { rows: counted } = await pool.query({ name: 'c', text: countStatement });
    const ids = groups.map((group) => group.id);
    const [countries, types, units] = await Promise.all([
      pool.query({
        name: 'k',
        text: countriesStatement,
        values: [[...new Set(groups.map((group) => group.country_id))]],
      }),
      pool.query({
        name: 't',
        text: typesStatement,
        values: [[...new Set(groups.map((group) => group.did_group_type_id))]],
      }),
      pool.query({ name: 'u', text: unitsStatement, values: [ids] }),
    ]);
    const unitsOf = Map.groupBy(units.rows, (unit) => unit.did_group_id);
    const query = 'include=country%2Cdid_group_type%2Cstock_keeping_units';
    const page = (number: number) => `${base}/did_groups?${query}&page%5Bnumber%5D=${number}&page%5Bsize%5D=50`;
    reply.header('content-type', 'application/vnd.api+json');
    return JSON.stringify({
      data: groups.map((group) =>
        groupObject(base, group, {
          country: { type: 'countries', id: group.country_id },
          did_group_type: { type: 'did_group_types', id: group.did_group_type_id },
          stock_keeping_units: (unitsOf.get(group.id) ?? []).map((unit) => ({
            type: 'stock_keeping_units',
            id: unit.id,
          })),
        }),
      ),
      included: [
        ...countries.rows.map(({ id, name, prefix, iso }) => ({
          id,
          type: 'countries',
          attributes: { name, prefix, iso },
          relationships: { regions: links(base, 'countries', id, 'regions') },
        })),
        ...types.rows.map(({ id, name }) => ({ id, type: 'did_group_types', attributes: { name } })),
        ...units.rows.map(({ id, setup_price, monthly_price, channels_included_count }) => ({
          id,
          type: 'stock_keeping_units',
          attributes: {
            setup_price: typedDecimal(setup_price),
            monthly_price: typedDecimal(monthly_price),
            channels_included_count,
          },
        })),
      ],
      meta: { total_records: counted[0].total, api_version: '2026-04-16' },
      links: { first: page(1), next: page(2), last: page(Math.ceil(counted[0].total / 50)) },
    });
  });
}
