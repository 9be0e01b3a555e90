/** Orders of all customers. */
import { dateTime, decimal, objectList, text, trimmedDecimal } from '../../../engines/jsonapi/attributes.ts';
import { facts } from '../../../engines/jsonapi/facts.ts';
import { anyId, anyOf, explained } from '../../../engines/jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { account, createdBetween, endless, partOf } from './shared-filters.ts';

const orderStatuses = { pending: 'Not complete yet.', completed: 'Handed over.', canceled: 'Ended and refunded.' };

const amount = (doc: string) => facts('decimal', { format: 'trimmed', doc });

/** An item as a refund names it: by its position. */
const chargedItem = {
  position: facts('integer', { doc: 'Its place in the order, from 1; a refund names it.' }),
  kind: facts('string', {
    doc: 'What it is: `did_order_items`, `capacity_order_items`, `emergency_order_items` or `generic_order_items`.',
  }),
  about: facts('string', { nullable: true, doc: 'The group of the numbers, or the pool of the channels.' }),
  qty: facts('integer', { doc: 'How many.' }),
  amount: amount('What was charged for all of them, with VAT.'),
  refunded: amount('What was given back of it, with VAT.'),
};

interface ChargedItem {
  amount: string;
  refunded: string;
}

const itemsColumn = `(select coalesce(json_agg(json_build_object(
  'position', i.place, 'kind', i.type, 'about', coalesce(g.area_name, p.name), 'qty', i.qty,
  'amount', (i.qty * (i.nrc + i.mrc))::text, 'refunded', i.refunded::text
  ) order by i.place), '[]')
from (select *, row_number() over (order by position) as place from order_items where order_id = t.id) i
  left join did_groups g on g.id = i.did_group_id
  left join capacity_pools c on c.id = i.capacity_pool_id
  left join capacity_pool_templates p on p.id = c.template_id)`;

export const orders = operatorType('orders', {
  group: 'Orders',
  noun: 'order',
  summary: 'A purchase, or another charge that a customer sees.',
  ...endless,
  attributes: {
    reference: text({ doc: 'The short name people use for it.' }),
    description: text({ doc: 'What it is for.' }),
    status: text({ values: orderStatuses, doc: 'How far it is.' }),
    amount: decimal({ doc: 'The whole charge, with VAT.' }),
    refunded: decimal({ doc: 'What was given back of it.' }),
    items: {
      ...objectList({ charged_items: chargedItem }, { column: itemsColumn, doc: 'What was charged, item by item.' }),
      decode: (stored: readonly ChargedItem[] | null) =>
        (stored ?? []).map((item) => ({
          type: 'charged_items',
          attributes: { ...item, amount: trimmedDecimal(item.amount), refunded: trimmedDecimal(item.refunded) },
        })),
    },
    external_reference_id: text({ nullable: true, doc: "The customer's own reference." }),
    created_at: dateTime({ doc: 'When it was made.' }),
    finished_at: dateTime({ nullable: true, doc: 'When it was completed or canceled.' }),
  },
  relationships: { account },
  filters: {
    id: anyId('t.id'),
    reference: anyOf('t.reference'),
    reference_contains: explained('A part of the reference, at least three characters.', partOf('t.reference')),
    external_reference_id: anyOf('t.external_reference_id'),
    status: anyOf('t.status', { values: orderStatuses }),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at', 'amount'],
  defaultSort: '-created_at',
  tieBreak: 't.seq desc',
});
