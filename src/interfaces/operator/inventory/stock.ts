/** The stock of numbers by group, and who waits for numbers that are not in stock. */
import { boolean, dateTime, decimal, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf, atLeast, explained, flag, reading } from '../../../engines/jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { account, endless, partOf, partOfText } from '../lookups/shared-filters.ts';

/** A count is its row plus the changes that are not folded into it yet (`stock_shelves_fold`). */
const available = `(coalesce((select c.available from stock_counts c where c.scope = 'group' and c.id = t.id), 0)
  + coalesce((select sum(s.change) from stock_shelf_changes s where s.did_group_id = t.id), 0))`;

const held = (state: string) =>
  `(select count(*)::int from held_numbers h where h.did_group_id = t.id and h.state = '${state}')`;

export const stock = operatorType('stock', {
  group: 'Inventory',
  noun: ['group in stock', 'stock'],
  summary: 'What is left to sell in a group of numbers, and what was sold of it.',
  from: `(select g.*, c.iso, c.name as country, y.name as type from did_groups g
          join countries c on c.id = g.country_id join did_group_types y on y.id = g.did_group_type_id) t`,
  attributes: {
    country: text({ doc: 'Where its numbers are.' }),
    country_iso: text({ column: 't.iso', doc: 'The same as an ISO code.' }),
    type: text({ doc: 'The type of its numbers.' }),
    area_name: text({ doc: 'The area.' }),
    prefix: text({ doc: 'After the country code.' }),
    is_sold: boolean({ column: 't.available_dids_enabled', doc: 'Whether numbers can be chosen one by one.' }),
    available: integer({ column: `${available}::int`, doc: 'Numbers in stock.' }),
    sold: integer({
      column: '(select count(*)::int from dids d where d.did_group_id = t.id)',
      doc: 'Numbers that customers own.',
    }),
    reserved: integer({
      column: `(select count(*)::int from did_reservations r where r.did_group_id = t.id
                and r.expires_at > environment_time.now())`,
      doc: 'Numbers in stock that customers have reserved for a moment.',
    }),
    quarantined: integer({ column: held('quarantined'), doc: 'Numbers in quarantine.' }),
    withdrawn: integer({ column: held('withdrawn'), doc: 'Numbers taken out of stock for good.' }),
    waiting: integer({
      column:
        '(select coalesce(sum(i.missing), 0)::int from order_items i where i.did_group_id = t.id and i.missing > 0)',
      doc: 'Numbers that back orders wait for.',
    }),
    lowest_price: decimal({
      nullable: true,
      column: '(select min(k.monthly_price) from stock_keeping_units k where k.did_group_id = t.id)',
      doc: 'A month, without VAT.',
    }),
  },
  filters: {
    search: partOfText(
      'the country, its code, the area or the prefix',
      "concat_ws(' ', t.country, t.iso, t.area_name, t.prefix)",
    ),
    country_iso: anyOf('t.iso'),
    type: anyOf('t.type'),
    available_gteq: explained('With at least so many numbers in stock.', atLeast(available)),
    is_empty: flag(`${available} = 0`),
  },
  sort: { country: 't.country', prefix: 't.prefix' },
  defaultSort: 'country',
  tieBreak: 't.area_name, t.id',
});

export const backOrders = operatorType('back_orders', {
  group: 'Inventory',
  noun: 'back order',
  summary: 'An item of an order that waits for numbers which are not in stock.',
  from: `(select i.*, o.account_id, o.reference, o.created_at, g.area_name, g.prefix, c.name as country
          from order_items i join orders o on o.id = i.order_id join did_groups g on g.id = i.did_group_id
          join countries c on c.id = g.country_id where i.missing > 0) t`,
  idColumn: "md5(t.order_id::text || ' ' || t.position)::uuid",
  tieBreak: 't.order_id, t.position',
  endpoints: { read: false },
  ...endless,
  attributes: {
    reference: text({ doc: 'Of the order.' }),
    country: text({ doc: 'Of the group.' }),
    area_name: text({ doc: 'Of the group.' }),
    prefix: text({ doc: 'Of the group.' }),
    qty: integer({ doc: 'How many were ordered.' }),
    missing: integer({ doc: 'How many are still missing.' }),
    created_at: dateTime({ doc: 'Since when.' }),
  },
  relationships: { account, order: toOne('orders', { doc: 'The order.' }) },
  filters: {
    reference_contains: explained('A part of the reference, at least three characters.', partOf('t.reference')),
    'account.id': anyId('t.account_id'),
    'did_group.id': reading(['stock'], anyId('t.did_group_id')),
  },
  sort: ['created_at', 'missing'],
  defaultSort: 'created_at',
});
