/** Reads the items of a number order: their offers and prices. */
import { listPrice } from '../../../business/billing/vat.ts';
import { parseAmount, type Taxed } from '../../../business/money/decimal.ts';
import { ApiError, type ErrorObject, invalid, messages, throwAny } from '../../../engines/jsonapi/errors.ts';
import type { TypedObject } from '../../../engines/jsonapi/parse-object.ts';
import { manyIds } from '../../../engines/jsonapi/sql.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { featureMissing } from '../refusals.ts';
import { demoStockOf } from './restock-demo.ts';

/** One item of a number order, with its offer and its price. */
export interface RequestedDid {
  position: number;
  skuId: string;
  groupId: string;
  qty: number;
  availableDidId: string | null;
  reservationId: string | null;
  nanpaPrefixId: string | null;
  billingCyclesCount: number | null;
  channelsIncludedCount: number;
  backOrderable: boolean;
  /** Whether a supplier has such numbers. */
  isSupplied: boolean;
  /** Price per unit. */
  setup: Taxed;
  monthly: Taxed;
}

interface Offer {
  id: string;
  did_group_id: string;
  setup_price: string;
  monthly_price: string;
  channels_included_count: number;
  back_orderable: boolean;
  is_supplied: boolean;
  vat_rate: string;
  delay_seconds: number | null;
  /** Null unless its group may be restocked. */
  demo_stock: number | null;
}

interface ReadItems {
  requested: RequestedDid[];
  /**
   * How long the account's orders stay pending in the sandbox. Read here, since a cached caller may not know a new
   * setting.
   */
  delaySeconds: number;
  /** What is left of each group after this order, where it may be restocked. */
  left: { groupId: string; stock: number | null }[];
}

/** Checks the items as far as possible before any number is locked. */
export async function readDidItems(context: PlatformContext, items: readonly TypedObject[]): Promise<ReadItems> {
  const [offers, prefixes] = await Promise.all([findOffers(context, items), findPrefixes(context, items)]);
  const problems: ErrorObject[] = [];
  const requested = items.flatMap(({ attributes }, position) => {
    const problem = (name: string, message: string) => problems.push(invalid.item('items', position, name, message));
    const offer = offers.get(String(attributes.sku_id).toLowerCase());
    if (!offer) problem('sku_id', messages.invalid);
    const prefixId = textOf(attributes.nanpa_prefix_id);
    if (prefixId !== null && offer && !prefixes.has(`${offer.did_group_id} ${prefixId}`)) {
      problem('nanpa_prefix_id', messages.invalid);
    }
    return offer ? [requestedDid(position, attributes, offer)] : [];
  });
  throwAny(problems);
  if (requested.some(({ availableDidId }) => availableDidId) && !callerOf(context).features.number_selection) {
    throw new ApiError([featureMissing('number_selection')]);
  }
  const [first] = offers.values();
  return {
    requested,
    delaySeconds: first?.delay_seconds ?? context.env.orderSeconds ?? 0,
    left: [...offers.values()].map((offer) => leftOf(offer, requested)),
  };
}

function leftOf({ did_group_id: groupId, demo_stock: stock }: Offer, requested: readonly RequestedDid[]) {
  const ordered = requested.filter((item) => item.groupId === groupId).reduce((sum, { qty }) => sum + qty, 0);
  return { groupId, stock: stock === null ? null : stock - ordered };
}

function requestedDid(position: number, attributes: Record<string, unknown>, offer: Offer): RequestedDid {
  return {
    position,
    skuId: offer.id,
    groupId: offer.did_group_id,
    qty: typeof attributes.qty === 'number' ? attributes.qty : 1,
    availableDidId: textOf(attributes.available_did_id),
    reservationId: textOf(attributes.did_reservation_id),
    nanpaPrefixId: textOf(attributes.nanpa_prefix_id),
    billingCyclesCount: typeof attributes.billing_cycles_count === 'number' ? attributes.billing_cycles_count : null,
    channelsIncludedCount: offer.channels_included_count,
    backOrderable: offer.back_orderable,
    isSupplied: offer.is_supplied,
    setup: listPrice(parseAmount(offer.setup_price), offer.vat_rate),
    monthly: listPrice(parseAmount(offer.monthly_price), offer.vat_rate),
  };
}

async function findOffers(context: PlatformContext, items: readonly TypedObject[]): Promise<Map<string, Offer>> {
  const rows = await context.query(
    `select s.id, s.did_group_id, adjusted_price(a.id, 'number_setup', s.setup_price) as setup_price,
            adjusted_price(a.id, 'number_monthly', s.monthly_price) as monthly_price, s.channels_included_count, g.back_orderable, a.vat_rate,
            (a.limits->>'sandbox_order_seconds')::int as delay_seconds,
            exists (select from supplier_groups b where b.did_group_id = g.id and b.on_sale) as is_supplied,
            ${demoStockOf(context.env, 'g.id')} as demo_stock
     from stock_keeping_units s join did_groups g on g.id = s.did_group_id join accounts a on a.id = $2
     where s.id = any($1::uuid[])`,
    [manyIds(items.flatMap(({ attributes }) => textOf(attributes.sku_id) ?? [])), callerOf(context).accountId],
  );
  return new Map(rows.map((row) => [String(row.id), row as Record<string, never> & Offer]));
}

/** Finds which groups sell under which of the requested NPA-NXX. */
async function findPrefixes(context: PlatformContext, items: readonly TypedObject[]): Promise<Set<string>> {
  const wanted = items.map(({ attributes }) => textOf(attributes.nanpa_prefix_id)).filter((id) => id !== null);
  if (wanted.length === 0) return new Set();
  const rows = await context.query(
    'select did_group_id, nanpa_prefix_id from did_group_nanpa_prefixes where nanpa_prefix_id = any($1::uuid[])',
    [wanted],
  );
  return new Set(rows.map((row) => `${row.did_group_id} ${row.nanpa_prefix_id}`));
}

/** Normalises ids as PostgreSQL formats them. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.toLowerCase() : null);
