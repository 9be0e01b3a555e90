/**
 * What the demo sells: features and prices of a group by country and type, varied by a hash of its name, and the
 * capacity pools (a cheap one for the most requested countries, a more expensive one for all others).
 */
import { hash } from 'node:crypto';
import { nameBasedId } from './ids.ts';
import type { CatalogueRows } from './rows.ts';

interface DemoGroup {
  country: string;
  type: string;
  prefix: string;
  areaName: string;
  inStock: boolean;
}

interface Offer {
  features: string[];
  is_metered: boolean;
  allow_additional_channels: boolean;
  service_restrictions: string | null;
  available_dids_enabled: boolean;
  needs_registration: boolean;
  back_orderable: boolean;
}

export const channelsOffered = [0, 2];

const calledPartyPays = ['Toll-free', 'Shared Cost', 'Global'];
const registered = new Set(
  'AR AT BE BR CH CN CO CZ DE EG ES FR GR HK HU ID IN IT JP KR MX MY NG PL PT RO SG SK TH TR ZA'.split(' '),
);
const emergencyCalls = new Set('AT AU BE CA CH CZ DE DK ES FI FR GB IE IT LU NL NO PL PT SE US'.split(' '));
const outboundCalls = new Set([...emergencyCalls, ...'BG BR CY EE GR HR HU IL LT LV MT MX NZ PR RO SI SK'.split(' ')]);
const textMessages = new Set(['US', 'CA', 'PR', 'GB', 'AU']);

export function describeOffer(group: DemoGroup): Offer {
  const { country, type } = group;
  const draw = drawFor(group);
  return {
    features: featuresOf(group),
    is_metered: calledPartyPays.includes(type) || draw('metered') % 40 === 0,
    allow_additional_channels: type !== 'Mobile' && draw('channels') % 12 !== 0,
    service_restrictions: restrictionsOf(group),
    available_dids_enabled: type === 'Local' ? draw('pickable') % 8 !== 0 : draw('pickable') % 3 !== 0,
    needs_registration: registered.has(country) && type !== 'Global',
    back_orderable: group.inStock || draw('back order') % 3 !== 0,
  };
}

/** Returns features in the order of the contract's list. */
function featuresOf(group: DemoGroup): string[] {
  const { country, type } = group;
  const draw = drawFor(group);
  const geographic = type === 'Local' || type === 'National';
  const texts = type === 'Mobile' || (type === 'Local' && textMessages.has(country));
  const offered: [string, boolean][] = [
    ['voice_in', true],
    ['voice_out', (geographic || type === 'Mobile') && outboundCalls.has(country)],
    ['t38', geographic && draw('fax') % 4 !== 0],
    ['sms_in', texts],
    ['p2p', texts && draw('p2p') % 2 === 0],
    ['a2p', texts && (country === 'US' || draw('a2p') % 3 === 0)],
    ['emergency', type === 'Local' && emergencyCalls.has(country)],
    ['cnam_out', type === 'Local' && (country === 'US' || country === 'CA')],
  ];
  return offered.filter(([, has]) => has).map(([name]) => name);
}

function restrictionsOf(group: DemoGroup): string | null {
  const { country, type } = group;
  const draw = drawFor(group);
  if (type === 'Toll-free' && country !== 'US')
    return 'Reachable from inside the country only. Calls from payphones may be refused.';
  if (type === 'Shared Cost')
    return 'Reachable from fixed and mobile networks of the country; callers pay the rate of their operator.';
  if (type === 'Global')
    return 'Not every operator routes calls to this range. Test from your callers’ networks before use.';
  if (type === 'Mobile' && registered.has(country)) return 'Not for automated or bulk calling.';
  return type === 'Local' && draw('restricted') % 25 === 0
    ? 'No incoming calls from premium-rate or satellite networks.'
    : null;
}

/** Monthly price of a local number with two channels, in cents → countries; others get a price from the range below. */
const countriesByPrice = {
  80: 'US GB',
  90: 'CA',
  150: 'DE FR NL BE PR',
  180: 'AT ES IT IE SE',
  190: 'PL PT',
  200: 'CH DK',
  250: 'NO FI',
  300: 'AU',
  350: 'NZ IL',
  400: 'BR MX',
  450: 'ZA',
  550: 'JP',
};
const localPrices = new Map(
  Object.entries(countriesByPrice).flatMap(([cents, list]) => list.split(' ').map((iso) => [iso, Number(cents)])),
);
const typeFactors: Record<string, number> = {
  Local: 10,
  National: 12,
  Mobile: 30,
  'Toll-free': 45,
  'Shared Cost': 40,
  Global: 100,
};

/** Decimal strings, excluding VAT. Without channels a number costs 60 % of the price with two. */
export function pricesOf(group: DemoGroup, channels: number): { setup_price: string; monthly_price: string } {
  const cheap = localPrices.get(group.country);
  const local = cheap ?? 300 + (number(`price ${group.country}`) % 14) * 50;
  const withChannels = Math.round((local * (typeFactors[group.type] ?? 10)) / 10);
  const monthly = channels === 0 ? Math.round((withChannels * 6) / 10) : withChannels;
  const setup = cheap !== undefined && group.type === 'Local' ? 0 : Math.ceil(withChannels / 100) * 100;
  return { setup_price: money(setup), monthly_price: money(monthly) };
}

function money(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

function drawFor({ country, type, prefix, areaName }: DemoGroup): (about: string) => number {
  return (about) => number(`${about} ${country} ${type} ${prefix} ${areaName}`);
}

function number(name: string): number {
  return hash('sha1', name, 'buffer').readUInt32BE(0);
}

interface Pool {
  name: string;
  metered_rate: string;
  /** Setup and monthly price of a channel: at first, and from a number of channels on. */
  price: string;
  breaks: Readonly<Record<number, string>>;
}

const standard: Pool = {
  name: 'Standard',
  metered_rate: '0.012',
  price: '10.0',
  breaks: { 30: '9.0', 300: '8.0', 990: '7.0' },
};
const extended: Pool = {
  name: 'Extended',
  metered_rate: '0.02',
  price: '25.0',
  breaks: { 30: '23.0', 300: '20.0', 990: '18.0' },
};
const inStandard = new Set(
  'AT AU BE BG CA CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL NO NZ PL PT RO SE SI SK US'.split(' '),
);

type PoolTables = 'capacity_pool_templates' | 'capacity_pool_template_countries' | 'capacity_pool_template_pricings';

/** Every country with number groups is in exactly one of the two. */
export function poolRows(countries: { id: string; iso: string }[]): Pick<CatalogueRows, PoolTables> {
  const idOf = ({ name }: Pool) => nameBasedId('capacity_pools', name);
  const pools = [standard, extended];
  return {
    capacity_pool_templates: pools.map((pool) => {
      const { name, price, metered_rate } = pool;
      const least = { minimum_limit: 0, minimum_qty_per_order: 1 };
      return { id: idOf(pool), name, ...least, setup_price: price, monthly_price: price, metered_rate };
    }),
    capacity_pool_template_countries: countries.map(({ id, iso }) => {
      return { template_id: idOf(inStandard.has(iso) ? standard : extended), country_id: id };
    }),
    capacity_pool_template_pricings: pools.flatMap((pool) =>
      Object.entries(pool.breaks).map(([qty, price]) => {
        const id = nameBasedId('qty_based_pricings', pool.name, qty);
        return { id, template_id: idOf(pool), qty: Number(qty), setup_price: price, monthly_price: price };
      }),
    ),
  };
}
