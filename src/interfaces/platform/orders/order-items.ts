/** The four kinds of order items in requests and responses. */
import { trimmedDecimal } from '../../../engines/jsonapi/attributes.ts';
import { facts, type ObjectType } from '../../../engines/jsonapi/facts.ts';

const price = (doc: string) => facts('decimal', { format: 'trimmed', doc });
const selector = (names: string, doc: string, more: { required?: boolean } = {}) =>
  facts('string', { format: 'uuid', write: 'create', writeOnly: true, names, doc, ...more });
const quantity = facts('integer', { min: 1, doc: 'How many.' });

const charges: ObjectType = {
  nrc: price('Charged once for each, with VAT.'),
  mrc: price('Charged for each and period, with VAT.'),
  prorated_mrc: facts('boolean', { doc: 'Whether the period is shorter than a month.' }),
  billed_from: facts('date', { nullable: true, doc: 'The first day that is paid for.' }),
  billed_to: facts('date', { nullable: true, doc: 'The last day that is paid for.' }),
};

export const orderItemTypes: Readonly<Record<string, ObjectType>> = {
  did_order_items: {
    sku_id: selector('stock_keeping_units', 'The offer of the group to buy from.', { required: true }),
    qty: facts('integer', {
      min: 1,
      max: 1000,
      write: 'create',
      doc: 'How many numbers; leave it out when a number or a reservation is named.',
    }),
    available_did_id: selector('available_dids', 'Buys this number; instead of `qty` and `did_reservation_id`.'),
    did_reservation_id: selector(
      'did_reservations',
      'Buys the number that is held; instead of `qty` and `available_did_id`.',
    ),
    nanpa_prefix_id: selector('nanpa_prefixes', 'Buys numbers of this prefix.'),
    billing_cycles_count: facts('integer', {
      nullable: true,
      min: 0,
      max: 999,
      write: 'create',
      writeOnly: true,
      doc: 'Renewals before the numbers end; null renews them for ever.',
    }),
    ...charges,
    setup_price: price('The same as `nrc`, under its older name.'),
    monthly_price: price('The same as `mrc`, under its older name.'),
    did_group_id: facts('string', { nullable: true, format: 'uuid', doc: 'The group of the numbers.' }),
  },
  capacity_order_items: {
    capacity_pool_id: facts('string', {
      format: 'uuid',
      write: 'create',
      required: true,
      nullInResponses: true,
      names: 'capacity_pools',
      doc: 'The pool that gets the channels.',
    }),
    qty: facts('integer', { min: 1, max: 10_000, write: 'create', doc: 'How many channels.' }),
    ...charges,
  },
  emergency_order_items: {
    qty: quantity,
    ...charges,
    emergency_calling_service_id: facts('string', {
      nullable: true,
      format: 'uuid',
      doc: 'The service that is charged.',
    }),
  },
  generic_order_items: { qty: quantity, ...charges },
};

/** SQL for all items of an order as one JSON value; prices are text, because JSON numbers are floats. */
export const itemsColumn = `(select json_agg(json_build_object(
  'type', i.type, 'qty', i.qty, 'nrc', i.nrc::text, 'mrc', i.mrc::text, 'prorated_mrc', i.prorated_mrc,
  'billed_from', i.billed_from, 'billed_to', i.billed_to, 'did_group_id', i.did_group_id,
  'capacity_pool_id', i.capacity_pool_id, 'emergency_calling_service_id', i.emergency_calling_service_id
) order by i.position) from order_items i where i.order_id = t.id)`;

export interface StoredItem {
  type: string;
  qty: number;
  nrc: string;
  mrc: string;
  prorated_mrc: boolean;
  billed_from: string | null;
  billed_to: string | null;
  did_group_id: string | null;
  capacity_pool_id: string | null;
  emergency_calling_service_id: string | null;
}

export function showItems(stored: readonly StoredItem[] | null): object[] {
  return (stored ?? []).map((item) => {
    const { type, qty, prorated_mrc, billed_from, billed_to } = item;
    const [nrc, mrc] = [trimmedDecimal(item.nrc), trimmedDecimal(item.mrc)];
    const common = { qty, nrc, mrc, prorated_mrc, billed_from, billed_to };
    return { type, attributes: { ...common, ...ownMembers(item, nrc, mrc) } };
  });
}

function ownMembers(item: StoredItem, nrc: string, mrc: string): object {
  switch (item.type) {
    case 'did_order_items':
      // Deprecated duplicates that older clients read.
      return { setup_price: nrc, monthly_price: mrc, did_group_id: item.did_group_id };
    case 'capacity_order_items':
      return { capacity_pool_id: item.capacity_pool_id };
    case 'emergency_order_items':
      return { emergency_calling_service_id: item.emergency_calling_service_id };
    default:
      return {};
  }
}
