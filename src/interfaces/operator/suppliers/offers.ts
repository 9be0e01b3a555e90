/** What suppliers offer beside what is sold here, which is the preview, and the log of requests to them. */
import { boolean, dateTime, decimal, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf, flag, reading, since, until } from '../../../engines/jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { endless, partOfText } from '../lookups/shared-filters.ts';

const offerChanges = {
  new: 'No group of ours has this offer.',
  changed: 'Ours has other prices than the rules make of its cost now.',
  same: 'Ours has the prices that the rules make.',
  below_cost: 'Ours is sold for less than what it costs there.',
  withdrawn: 'The supplier does not offer it any more.',
};

const priceOf = (kind: 'setup' | 'monthly') =>
  `supplied_price(g.supplier_id, g.country, g.did_group_type, '${kind}', o.${kind}_cost)`;

/** With the prices that the rules make, and those of our own offer with as many channels. */
const offers = `(
  select *, case
      when withdrawn then 'withdrawn'
      when our_monthly_price is null then 'new'
      when our_setup_price < setup_cost or our_monthly_price < monthly_cost then 'below_cost'
      when our_setup_price <> setup_price or our_monthly_price <> monthly_price then 'changed'
      else 'same' end as change
  from (
    select md5(g.id::text || ' ' || o.channels_included_count)::uuid as id, g.supplier_id, g.country,
           g.did_group_type as type, g.region_name as region, g.city, g.prefix, g.area_name, g.needs_registration,
           g.stock, g.withdrawn, o.channels_included_count as channels, o.setup_cost, o.monthly_cost,
           ${priceOf('setup')} as setup_price, ${priceOf('monthly')} as monthly_price,
           k.setup_price as our_setup_price, k.monthly_price as our_monthly_price
    from supplier_offers o
    join supplier_groups g on g.id = o.supplier_group_id
    left join stock_keeping_units k
      on k.did_group_id = g.did_group_id and k.channels_included_count = o.channels_included_count) p) t`;

const supplier = toOne('suppliers', { doc: 'Who offers it.' });

export const supplierOffers = operatorType('supplier_offers', {
  group: 'Suppliers',
  noun: 'offer of a supplier',
  summary: 'An offer as it was read last, with its cost, the price that the rules make of it, and our price today.',
  from: offers,
  endpoints: { read: false },
  attributes: {
    country: text({ doc: 'By ISO code.' }),
    type: text({ doc: 'The kind of its numbers.' }),
    region: text({ nullable: true, doc: 'Where they are.' }),
    city: text({ nullable: true, doc: 'Where they are.' }),
    prefix: text({ doc: 'After the country code.' }),
    area_name: text({ doc: 'The area.' }),
    needs_registration: boolean({ doc: 'Whether its numbers need an approval there.' }),
    stock: integer({ doc: 'Numbers in stock there.' }),
    channels: integer({ doc: 'Channels that are included.' }),
    setup_cost: decimal({ doc: 'What the supplier charges once.' }),
    monthly_cost: decimal({ doc: 'What it charges for a month.' }),
    setup_price: decimal({ doc: 'What the rules make of it.' }),
    monthly_price: decimal({ doc: 'What the rules make of it.' }),
    our_setup_price: decimal({ nullable: true, doc: 'What our own offer of the same group costs now.' }),
    our_monthly_price: decimal({ nullable: true, doc: 'What our own offer of the same group costs now.' }),
    change: text({ values: offerChanges, doc: 'How it differs from what is offered here.' }),
  },
  relationships: { supplier },
  filters: {
    'supplier.id': anyId('t.supplier_id'),
    country: anyOf('t.country'),
    type: anyOf('t.type'),
    change: anyOf('t.change', { values: offerChanges }),
    needs_registration: flag('t.needs_registration'),
    search: partOfText('the area, the city or the prefix', "concat_ws(' ', t.area_name, t.city, t.prefix)"),
  },
  sort: ['country', 'monthly_cost'],
  defaultSort: 'country',
  tieBreak: 't.type, t.prefix, t.area_name, t.channels, t.id',
});

const outcomes = {
  done: 'It was answered with success.',
  refused: 'The supplier said no.',
  limited: 'There were too many; it was not done.',
  unreached: 'Nothing was sent.',
  unknown: 'It was sent, and whether it was done is not known.',
  garbage: 'The answer could not be read.',
};

export const supplierRequests = operatorType('supplier_requests', {
  group: 'Suppliers',
  noun: 'request to a supplier',
  summary: 'A request to a supplier of the last seven days with its answer; the first 4 kB of each, without secrets.',
  endpoints: { read: false },
  ...endless,
  attributes: {
    at: dateTime({ doc: 'When.' }),
    method: text({ doc: 'Of the request.' }),
    path: text({ doc: 'After the address of the supplier.' }),
    status: integer({ nullable: true, doc: 'Of the answer; null without one.' }),
    outcome: text({ values: outcomes, doc: 'What came of it.' }),
    duration_ms: integer({ doc: 'Milliseconds until it was known.' }),
    request: text({ nullable: true, doc: 'What was sent.' }),
    answer: text({ nullable: true, doc: 'What was answered, or why nothing was.' }),
  },
  relationships: { supplier },
  filters: {
    'supplier.id': reading(['suppliers'], anyId('t.supplier_id')),
    outcome: anyOf('t.outcome', { values: outcomes }),
    at_gteq: since('t.at'),
    at_lteq: until('t.at'),
  },
  sort: ['at'],
  defaultSort: '-at',
});
