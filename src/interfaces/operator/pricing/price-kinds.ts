/**
 * What a price list can hold: for each kind the columns of its CSV file, the SQL of the prices that hold now, and the
 * SQL that makes a list valid. `$1` is the list, `$2` the account and `$3` the carrier that it is for.
 */

import { isUuid } from '../../../base/uuid.ts';
import type { PriceListsTable } from '../../../engines/db/tables/operators.ts';

export type PriceKindName = PriceListsTable['kind'];

export interface Column {
  name: string;
  /** The stored form of a cell, or null if it is not valid. */
  parse: (cell: string) => string | null;
  /** What a valid cell looks like. */
  form: string;
  /** The cell of a file that leaves the column out; without it the column is needed. */
  fallback?: string | null;
}

export interface PriceKind {
  /** One line for the API reference. */
  about: string;
  /** What is priced … */
  keys: readonly Column[];
  /** … and its prices. */
  values: readonly Column[];
  /** Columns of an export that an import ignores: they help people to read the file. */
  remarks: readonly string[];
  /** Whether prices that a file leaves out are removed; otherwise they stay. */
  replaces: boolean;
  /** Selects keys, values and remarks as text. `$1` account, `$2` carrier. */
  current: string;
  apply: readonly string[];
}

const decimal = (name: string, decimals: number, fallback?: string): Column => ({
  name,
  form: `an amount such as 0.0125, with up to ${decimals} decimals`,
  parse: (cell) => {
    const [, whole = '', fraction = ''] = /^(\d{1,6})(?:\.(\d+))?$/.exec(cell) ?? [];
    const kept = fraction.replace(/0+$/, '');
    if (whole === '' || kept.length > decimals) return null;
    return `${BigInt(whole)}.${kept.padEnd(decimals, '0')}`;
  },
  ...(fallback === undefined ? {} : { fallback }),
});

const matching = (name: string, pattern: RegExp, form: string, fallback?: string | null): Column => ({
  name,
  form,
  parse: (cell) => (pattern.test(cell) ? cell.toLowerCase() : null),
  ...(fallback === undefined ? {} : { fallback }),
});

const seconds = (name: string): Column => ({
  name,
  form: 'seconds between 1 and 3600',
  parse: (cell) => (/^\d{1,4}$/.test(cell) && Number(cell) >= 1 && Number(cell) <= 3600 ? String(Number(cell)) : null),
  fallback: '1',
});

const note = (name: string): Column => ({
  name,
  form: 'a text of up to 100 characters',
  parse: (cell) => (cell.length <= 100 ? cell : null),
  fallback: null,
});

const prefix = matching('prefix', /^\d{0,15}$/, 'the first digits of a number, or nothing for all others', '');
const callRate = [decimal('per_minute', 6), decimal('connection_fee', 4, '0.0000'), seconds('initial_interval')];
const rateColumns = [...callRate, seconds('next_interval')];
const listPrices = [decimal('setup_price', 4), decimal('monthly_price', 4)];
const id = (name: string): Column => ({
  name,
  form: 'an id',
  parse: (cell) => (isUuid(cell) ? cell.toLowerCase() : null),
});

const lines = 'price_list_lines l where l.price_list_id = $1 and l.after is not null';

/** Rates of calls: of everybody, or of one account. */
const voiceRates = (kind: string, about: string): PriceKind => {
  const scope = `r.kind = '${kind}' and r.account_id is not distinct from`;
  return {
    about,
    keys: [prefix],
    values: [...rateColumns, note('country'), note('network')],
    remarks: [],
    replaces: true,
    current: `select r.prefix, r.per_minute::text, r.connection_fee::text, r.initial_interval::text, r.next_interval::text,
        r.country, r.network from voice_rates r where ${scope} $1::uuid and $2::uuid is null order by r.prefix collate "C"`,
    apply: [
      `delete from voice_rates r where ${scope} $2::uuid and $3::uuid is null
         and not exists (select from ${lines} and l.after->>'prefix' = r.prefix)`,
      `insert into voice_rates as r (account_id, kind, prefix, per_minute, connection_fee, initial_interval, next_interval, country, network)
       select $2::uuid, '${kind}', p.prefix, p.per_minute, p.connection_fee, p.initial_interval, p.next_interval, p.country, p.network
       from (select (jsonb_populate_record(null::voice_rates, l.after)).* from ${lines}) p where $3::uuid is null
       on conflict (kind, prefix, coalesce(account_id, '00000000-0000-0000-0000-000000000000')) do update
         set per_minute = excluded.per_minute, connection_fee = excluded.connection_fee, initial_interval = excluded.initial_interval,
             next_interval = excluded.next_interval, country = excluded.country, network = excluded.network`,
    ],
  };
};

/** Sets the two list prices of rows that exist. */
const updateOf = (table: string, condition: string): string =>
  `update ${table} p set setup_price = (l.after->>'setup_price')::numeric, monthly_price = (l.after->>'monthly_price')::numeric
   from ${lines} and ${condition} and $2::uuid is null and $3::uuid is null`;

export const priceKinds: Readonly<Record<PriceKindName, PriceKind>> = {
  numbers: {
    about: 'Setup and monthly prices of numbers, by offer. Offers that a file leaves out keep their prices.',
    keys: [id('sku_id')],
    values: listPrices,
    remarks: ['country', 'type', 'prefix', 'area', 'channels'],
    replaces: false,
    current: `select s.id::text as sku_id, s.setup_price::text, s.monthly_price::text, c.iso as country, y.name as type,
        g.prefix, g.area_name as area, s.channels_included_count::text as channels
      from stock_keeping_units s join did_groups g on g.id = s.did_group_id join countries c on c.id = g.country_id
        join did_group_types y on y.id = g.did_group_type_id
      where $1::uuid is null and $2::uuid is null order by c.iso, y.name, g.prefix, s.channels_included_count, s.id`,
    apply: [updateOf('stock_keeping_units', `p.id = (l.after->>'sku_id')::uuid`)],
  },
  channels: {
    about: 'Prices of channels, by pool and the number of channels from which they hold (0: the usual price).',
    keys: [
      { name: 'pool', form: 'the name of a pool', parse: (cell) => cell },
      matching('from_qty', /^(0|[1-9]\d{0,5})$/, 'a number of channels, 0 for the usual price', '0'),
    ],
    values: listPrices,
    remarks: [],
    replaces: false,
    current: `select t.name as pool, '0' as from_qty, t.setup_price::text, t.monthly_price::text from capacity_pool_templates t
      where $1::uuid is null and $2::uuid is null
      union all select t.name, q.qty::text, q.setup_price::text, q.monthly_price::text
      from capacity_pool_template_pricings q join capacity_pool_templates t on t.id = q.template_id
      order by 1, 2`,
    apply: [
      updateOf('capacity_pool_templates', `p.name = l.after->>'pool' and l.after->>'from_qty' = '0'`),
      updateOf(
        'capacity_pool_template_pricings',
        `p.qty::text = l.after->>'from_qty'
         and p.template_id = (select t.id from capacity_pool_templates t where t.name = l.after->>'pool')`,
      ),
    ],
  },
  emergency: {
    about: 'Prices of new emergency services, by requirement. Running services keep the price they were ordered at.',
    keys: [id('emergency_requirement_id')],
    values: listPrices,
    remarks: ['country', 'type'],
    replaces: false,
    current: `select q.id::text as emergency_requirement_id, q.setup_price::text, q.monthly_price::text, c.iso as country, y.name as type
      from emergency_requirements q join countries c on c.id = q.country_id join did_group_types y on y.id = q.did_group_type_id
      where $1::uuid is null and $2::uuid is null order by c.iso, y.name, q.id`,
    apply: [updateOf('emergency_requirements', `p.id = (l.after->>'emergency_requirement_id')::uuid`)],
  },
  termination: voiceRates('termination', 'Rates of outbound calls, by prefix.'),
  pstn_forwarding: voiceRates('pstn_forwarding', 'Rates of calls forwarded to the telephone network, by prefix.'),
  toll_free: voiceRates('toll_free', 'Rates of inbound calls to metered numbers, by prefix.'),
  cnam_lookup: voiceRates('cnam_lookup', "Prices of look-ups of a caller's name, by prefix (the connection fee)."),
  carrier: {
    about: 'What a carrier charges us, by prefix.',
    keys: [prefix],
    values: rateColumns,
    remarks: [],
    replaces: true,
    current: `select r.prefix, r.per_minute::text, r.connection_fee::text, r.initial_interval::text, r.next_interval::text
      from carrier_rates r where r.carrier_id = $2::uuid and $1::uuid is null order by r.prefix collate "C"`,
    apply: [
      `delete from carrier_rates r where r.carrier_id = $3::uuid and $2::uuid is null
         and not exists (select from ${lines} and l.after->>'prefix' = r.prefix)`,
      `insert into carrier_rates as r (carrier_id, prefix, per_minute, connection_fee, initial_interval, next_interval)
       select $3::uuid, p.prefix, p.per_minute, p.connection_fee, p.initial_interval, p.next_interval
       from (select (jsonb_populate_record(null::carrier_rates, l.after)).* from ${lines}) p where $2::uuid is null
       on conflict (prefix, carrier_id) do update
         set per_minute = excluded.per_minute, connection_fee = excluded.connection_fee,
             initial_interval = excluded.initial_interval, next_interval = excluded.next_interval`,
    ],
  },
  verifications: {
    about: 'Prices of verifications and messages, by delivery method and prefix.',
    keys: [
      matching('per', /^(verification|message)$/, 'verification or message'),
      matching('delivery_method', /^(sms|callout)$/, 'sms or callout'),
      prefix,
    ],
    values: [decimal('amount', 4)],
    remarks: [],
    replaces: true,
    current: `select r.per, r.delivery_method, r.prefix, r.amount::text from verification_rates r
      where $1::uuid is null and $2::uuid is null order by r.per, r.delivery_method, r.prefix collate "C"`,
    apply: [
      `delete from verification_rates r where $2::uuid is null and $3::uuid is null and not exists (select from ${lines}
         and l.after->>'prefix' = r.prefix and l.after->>'per' = r.per and l.after->>'delivery_method' = r.delivery_method)`,
      `insert into verification_rates as r (per, delivery_method, prefix, amount)
       select p.per, p.delivery_method, p.prefix, p.amount
       from (select (jsonb_populate_record(null::verification_rates, l.after)).* from ${lines}) p
       where $2::uuid is null and $3::uuid is null
       on conflict (per, delivery_method, prefix) do update set amount = excluded.amount`,
    ],
  },
};

export const priceKindNames = Object.keys(priceKinds) as PriceKindName[];

/** The account and the carrier that a list is for. */
export interface PriceScope {
  accountId: string | null;
  carrierId: string | null;
}
