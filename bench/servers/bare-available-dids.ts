/** `GET /v3/available_dids?include=did_group`, first page, as a bare handler: what the engine is compared with. */
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { groupObject, links } from './bare-documents.ts';

const pageSize = 50;

const locateStatement = `with held as (
  select left(r.number, -3) as base, left(r.number, -4) as shelf, r.did_group_id, count(*)::int as held,
         bit_or(set_bit(B'0'::bit(1000), right(r.number, 3)::int, 1)) as bits
  from did_reservations r where r.expires_at > $1 group by 1, 2, 3
), changed as (
  select shelf, did_group_id, sum(change)::int as change
  from (select shelf, did_group_id, change from stock_shelf_changes
        union all select shelf, did_group_id, -held from held) each group by 1, 2
), shelves as (
  select b.shelf, b.did_group_id, b.available + coalesce(c.change, 0) as n
  from stock_shelves b join did_groups g on g.id = b.did_group_id
    left join changed c on c.shelf = b.shelf and c.did_group_id = b.did_group_id
  where g.available_dids_enabled
), first as (
  select shelf, did_group_id, n from shelves where n > 0 order by shelf, did_group_id limit $3
), counted as (
  select shelf, did_group_id, n, sum(n) over (order by shelf, did_group_id rows unbounded preceding) as upto from first
), page as (
  select k.base, c.upto - c.n as before, case when h.bits is null then k.bits else k.bits & ~h.bits end as bits
  from counted c
    join stock_blocks k on k.did_group_id = c.did_group_id and k.base between c.shelf || '0' and c.shelf || '9'
    left join held h on h.base = k.base and h.did_group_id = k.did_group_id
  where c.upto > $2 and c.upto - c.n < $3 and k.available > 0
  order by c.shelf, c.did_group_id, k.base
)
select p.base, p.before, p.bits, s.total
from (select coalesce(sum(n), 0) as total from shelves where n > 0) s left join page p on true`;

const rowsStatement = 'select id, number, did_group_id from available_dids where number = any($1::text[])';

const groupsStatement = `select t.id, t.prefix, t.area_name, t.features, t.is_metered, t.allow_additional_channels, t.service_restrictions,
  t.available_dids_enabled, t.needs_registration,
  (t.back_orderable or exists (select from stock_blocks b where b.did_group_id = t.id and b.available > 0)) as is_available,
  coalesce((select sum(b.available) from stock_blocks b where b.did_group_id = t.id), 0)::int as total_count
  from did_groups t where t.id = any($1::uuid[])`;

/** `GET /v3/available_dids?include=did_group`, first page. */
export function registerBareAvailableDids(app: FastifyInstance, pool: Pool): void {
  app.get('/v3/available_dids', async (request, reply) => {
    const base = `${request.protocol}://${request.host}/v3`;
    const located = await pool.query({ name: 'locate', text: locateStatement, values: [new Date(), 0, pageSize] });
    const numbers: string[] = [];
    for (const block of located.rows) {
      if (block.base === null) continue;
      for (
        let at = block.bits.indexOf('1');
        at >= 0 && numbers.length < pageSize;
        at = block.bits.indexOf('1', at + 1)
      ) {
        numbers.push(block.base + String(at).padStart(3, '0'));
      }
    }
    const { rows } = await pool.query({ name: 'rows', text: rowsStatement, values: [numbers] });
    const place = new Map(numbers.map((each, index) => [each, index]));
    rows.sort((left, right) => (place.get(left.number) ?? 0) - (place.get(right.number) ?? 0));
    const groups = await pool.query({
      name: 'groups',
      text: groupsStatement,
      values: [[...new Set(rows.map((row) => row.did_group_id))]],
    });
    const total = Number(located.rows[0].total);
    const page = (number: number) =>
      `${base}/available_dids?include=did_group&page%5Bnumber%5D=${number}&page%5Bsize%5D=${pageSize}`;
    reply.header('content-type', 'application/vnd.api+json');
    return JSON.stringify({
      data: rows.map((row) => ({
        id: row.id,
        type: 'available_dids',
        attributes: { number: row.number },
        relationships: {
          did_group: {
            ...links(base, 'available_dids', row.id, 'did_group'),
            data: { type: 'did_groups', id: row.did_group_id },
          },
          nanpa_prefix: links(base, 'available_dids', row.id, 'nanpa_prefix'),
        },
      })),
      included: groups.rows.map((group) => groupObject(base, group)),
      meta: { total_records: total, total_count: total, api_version: '2026-04-16' },
      links: { first: page(1), next: page(2), last: page(Math.ceil(total / pageSize)) },
    });
  });
}
