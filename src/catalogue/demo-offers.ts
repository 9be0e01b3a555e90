/** Features and prices of a demo group: rules by country and type, varied by a hash of the group's name. */
import { hash } from 'node:crypto';

export interface DemoGroup {
  country: string;
  type: string;
  prefix: string;
  areaName: string;
  inStock: boolean;
}

export interface Offer {
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
const outboundCalls = new Set([
  ...emergencyCalls,
  'BG',
  'BR',
  'CY',
  'EE',
  'GR',
  'HR',
  'HU',
  'IL',
  'LT',
  'LV',
  'MT',
  'MX',
  'NZ',
  'PR',
  'RO',
  'SI',
  'SK',
]);
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
function featuresOf({ country, type, ...rest }: DemoGroup): string[] {
  const draw = drawFor({ country, type, ...rest });
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

function restrictionsOf({ country, type, ...rest }: DemoGroup): string | null {
  const draw = drawFor({ country, type, ...rest });
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

/** Monthly price of a local number with two channels, in cents; other countries get a price from the range below. */
const localPrices: Record<string, number> = {
  US: 80,
  CA: 90,
  GB: 80,
  DE: 150,
  FR: 150,
  NL: 150,
  BE: 150,
  AT: 180,
  CH: 200,
  ES: 180,
  IT: 180,
  IE: 180,
  SE: 180,
  PL: 190,
  PT: 190,
  AU: 300,
  NZ: 350,
  JP: 550,
  BR: 400,
  MX: 400,
  PR: 150,
  IL: 350,
  ZA: 450,
  DK: 200,
  NO: 250,
  FI: 250,
};
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
  const cheap = localPrices[group.country];
  const local = cheap ?? 300 + (countryDraw(group.country) % 14) * 50;
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

function countryDraw(country: string): number {
  return number(`price ${country}`);
}

function number(name: string): number {
  return hash('sha1', name, 'buffer').readUInt32BE(0);
}
