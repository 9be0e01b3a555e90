/** What a month's bills charge and give back, line by line, from the ledger: what it books is what they sum up to. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import { dayBefore, monthBounds } from '../billing/calendar.ts';
import { type Amount, parseAmount } from '../money/decimal.ts';
import type { Charged } from './bill-document.ts';
import { type Item, itemText, meteredText, mostNamed, numberText, orderNumber } from './bill-words.ts';

export interface MonthCharges {
  earned: Charged[];
  /** Above zero; each with the month in which it had been charged. */
  returned: (Charged & { chargedIn: string | null })[];
}

export async function monthCharges(db: Kysely<Schema>, accountId: string, month: string): Promise<MonthCharges> {
  const { from, to } = monthBounds(month);
  const ofMonth = sql`t.account_id = ${accountId} and t.created_at >= ${from} and t.created_at < ${to}`;
  const [booked, metered] = [await bookedOrders(db, ofMonth), await meteredCharges(db, ofMonth)];
  const items = await itemsOf(db, [...new Set(booked.flatMap(({ order_id }) => order_id ?? []))]);
  const earned: MonthCharges['earned'] = [];
  const returned: MonthCharges['returned'] = [];
  for (const movement of booked) {
    const own = items.get(movement.order_id ?? '') ?? [];
    if (parseAmount(movement.net) + parseAmount(movement.vat) < 0n) returned.push(returnedBy(movement, own));
    else earned.push(...earnedBy(movement, own));
  }
  return { earned: [...earned, ...metered], returned };
}

interface Booked {
  cause: string;
  order_id: string | null;
  order_reference: string | null;
  order_description: string | null;
  order_month: string | null;
  /** Of a number that is charged or given back by itself. */
  number: string | null;
  place: string | null;
  net: string;
  vat: string;
  vat_rate: string;
}

type Condition = ReturnType<typeof sql>;

async function bookedOrders(db: Kysely<Schema>, ofMonth: Condition): Promise<Booked[]> {
  const { rows } = await sql<Booked>`
    select t.cause, t.order_id, o.reference as order_reference, o.description as order_description,
           to_char(coalesce(o.finished_at, o.created_at) at time zone 'UTC', 'YYYY-MM') as order_month,
           d.number, coalesce(c.name, k.name) as place, t.vat_rate::text,
           coalesce(sum(e.amount) filter (where e.ledger <> 'vat'), 0) as net,
           coalesce(sum(e.amount) filter (where e.ledger = 'vat'), 0) as vat
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    left join orders o on o.id = t.order_id
    left join dids d on d.id = t.reference
    left join did_groups g on g.id = d.did_group_id
    left join cities c on c.id = g.city_id left join countries k on k.id = g.country_id
    where ${ofMonth} and (t.order_id is not null or t.cause = 'refund') and e.ledger in ('revenue', 'refunds', 'vat')
    group by t.id, o.id, d.id, c.id, k.id order by t.created_at, t.id`.execute(db);
  return rows;
}

/** Calls and verifications: one line for all of a kind. */
async function meteredCharges(db: Kysely<Schema>, ofMonth: Condition): Promise<Charged[]> {
  const { rows } = await sql<{
    cause: string;
    occasion: string;
    vat_rate: string;
    n: number;
    net: string;
    vat: string;
  }>`
    select t.cause, t.occasion, t.vat_rate::text, count(distinct t.id)::int as n,
           coalesce(sum(e.amount) filter (where e.ledger <> 'vat'), 0) as net,
           coalesce(sum(e.amount) filter (where e.ledger = 'vat'), 0) as vat
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    where ${ofMonth} and t.order_id is null and t.cause <> 'refund' and e.ledger in ('revenue', 'refunds', 'vat')
    group by t.cause, t.occasion, t.vat_rate order by t.cause, t.occasion, t.vat_rate desc`.execute(db);
  return rows.map(({ cause, occasion, vat_rate: vatRate, n: quantity, net, vat }) => ({
    ...{ description: meteredText(cause, occasion), from: null, to: null, quantity, vatRate },
    ...{ net: parseAmount(net), vat: parseAmount(vat) },
  }));
}

async function itemsOf(db: Kysely<Schema>, orderIds: string[]): Promise<Map<string, Item[]>> {
  const { rows } = await sql<Item>`
    select i.order_id, i.type, i.qty, i.nrc, i.mrc, i.nrc_vat, i.mrc_vat, i.billed_from, i.billed_to,
           array(select d.number from dids d where d.order_id = i.order_id and d.order_position = i.position
             order by d.number limit ${mostNamed + 1}) as numbers,
           coalesce(c.name, k.name) as place, p.name as pool
    from order_items i
    left join did_groups g on g.id = i.did_group_id
    left join cities c on c.id = g.city_id left join countries k on k.id = g.country_id
    left join capacity_pools b on b.id = i.capacity_pool_id
    left join capacity_pool_templates p on p.id = b.template_id
    where i.order_id = any(${orderIds}::uuid[]) order by i.order_id, i.position`.execute(db);
  return Map.groupBy(rows, ({ order_id }) => order_id);
}

/** The items of the order; what it charged less than they cost was given back before it was completed. */
function earnedBy(booked: Booked, items: readonly Item[]): Charged[] {
  const lines = items.flatMap((item) => itemLines(item, booked));
  const sum = (name: 'net' | 'vat') => lines.reduce((total, line) => total + line[name], 0n);
  const [net, vat] = [parseAmount(booked.net) - sum('net'), parseAmount(booked.vat) - sum('vat')];
  if (net === 0n && vat === 0n) return lines;
  const description = `Order ${booked.order_reference}${net < 0n ? ', cancelled before delivery' : ''}`;
  return [
    ...lines,
    { description, from: null, to: null, quantity: net < 0n ? -1 : 1, net, vat, vatRate: booked.vat_rate },
  ];
}

function itemLines(item: Item, booked: Booked): Charged[] {
  const { qty: quantity } = item;
  const times = (gross: string, vat: string): { net: Amount; vat: Amount } => ({
    net: BigInt(quantity) * (parseAmount(gross) - parseAmount(vat)),
    vat: BigInt(quantity) * parseAmount(vat),
  });
  const [once, monthly] = [times(item.nrc, item.nrc_vat), times(item.mrc, item.mrc_vat)];
  const description = describe(item, booked);
  const common = { quantity, vatRate: booked.vat_rate };
  return [
    ...(once.net === 0n ? [] : [{ ...common, ...once, description: `${description}, set-up`, from: null, to: null }]),
    ...(monthly.net === 0n ? [] : [{ ...common, ...monthly, description, ...periodOf(item) }]),
  ];
}

/** Most services are billed to the day on which the next month begins, channels to the one before it. */
function periodOf({ type, billed_from: from, billed_to: to }: Item): Pick<Charged, 'from' | 'to'> {
  const isNextBegin = type !== 'capacity_order_items';
  return { from, to: to !== null && isNextBegin ? dayBefore(to) : to };
}

function describe(item: Item, { number, place, order_description: text }: Booked): string {
  const known = number ?? orderNumber(text);
  if (item.type === 'generic_order_items' && known !== null) return numberText([known], 1, place);
  return itemText(item, text);
}

function returnedBy(booked: Booked, items: readonly Item[]): MonthCharges['returned'][number] {
  const [item] = items;
  const what = item === undefined ? 'Refund' : `Refund: ${describe({ ...item, numbers: [] }, booked)}`;
  const own = booked.number === null || item?.type !== 'did_order_items' ? what : `Refund: ${ownNumber(booked)}`;
  const order = booked.order_reference === null ? '' : `, order ${booked.order_reference}`;
  return {
    ...{ description: `${own}${order}`, from: null, to: null, quantity: 1, vatRate: booked.vat_rate },
    ...{ net: -parseAmount(booked.net), vat: -parseAmount(booked.vat), chargedIn: booked.order_month },
  };
}

const ownNumber = ({ number, place }: Booked): string => numberText(number === null ? [] : [number], 1, place);
