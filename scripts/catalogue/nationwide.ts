/**
 * Groups that belong to a whole country (mobile, national, toll-free, shared cost) and the one that belongs to none.
 */
import examples from 'libphonenumber-js/examples.mobile.json';
import type { CountryCode } from 'libphonenumber-js/max';
import { type Group, places } from './places.ts';
import { reservedRanges } from './reserved-ranges.ts';
import { diallingCode, numberType } from './sources.ts';
import { type StockFinder, seeded } from './stock.ts';

/** Not an ISO country: a user-assigned code (ISO 3166-1 keeps XA … XZ for such use) for numbers of no country. */
export const global = { iso: 'XG', name: 'Global', prefix: '883' };

/** Where the group's prefix is known to have reserved numbers, or is the one that people know. */
const known: Record<string, Record<string, string[]>> = {
  Mobile: { GB: ['7700'], AU: ['491'], FR: ['639'], DE: ['171', '176'], SE: ['70'], BE: ['470'], CL: ['9'] },
  // The empty ones: only short service codes would be found there.
  National: { GB: ['306'], IE: ['20'], DE: ['32'], TR: ['850'], KR: ['70'], ID: [], IN: [], VN: [] },
  'Toll-free': { GB: ['808'], AU: ['1800'] },
  'Shared Cost': { AU: ['1300'], CN: ['400'] },
};
const kinds: Record<string, string[]> = {
  Mobile: ['MOBILE', 'FIXED_LINE_OR_MOBILE'],
  National: ['VOIP', 'UAN'],
  'Toll-free': ['TOLL_FREE'],
  'Shared Cost': ['SHARED_COST'],
};
/** Countries with area codes in North America have their own file; mobile numbers are sold in these only. */
const mobileCountries =
  'AT AU BE BG BR CH CL CO CY CZ DE DK EE ES FI FR GB GR HK HR HU ID IE IL IT JP LT LU LV MT MY NL NO NZ PE PH PL PT RO SE SG SI SK TH ZA';
/** Sold without area codes. */
const withoutAreas = ['MC', 'LI', 'GI', 'QA', 'KW', 'OM', 'MU', 'RE', 'GP', 'UG', 'TZ', 'SN', 'CI'];

export function nationwideGroups(stock: StockFinder): Group[] {
  const isos = [...Object.keys(places), 'BR', ...withoutAreas].sort();
  const groups = isos.flatMap((iso) => Object.keys(kinds).flatMap((type) => groupsOf(iso, type, stock)));
  return [...groups, globalGroup()];
}

function groupsOf(iso: string, type: string, stock: StockFinder): Group[] {
  if (type === 'Mobile' && !mobileCountries.includes(iso) && !withoutAreas.includes(iso)) return [];
  // A prefix written here is known to be right, even where the library files it under geographic numbers (+49 32).
  const types = [...(kinds[type] ?? []), ...(known[type]?.[iso] ? ['FIXED_LINE'] : [])];
  return prefixesOf(iso, type, types).map((prefix) => {
    const count = [20, 25, 30, 50][seeded(`${iso} ${type} size`) % 4] ?? 0;
    const reserved = reservedRanges[iso]?.[prefix] ? stock.reserved(iso, prefix) : undefined;
    const ranges = reserved ?? stock.plausible(iso, prefix, types, `${iso} ${type} ${prefix}`, count);
    return { country: iso, type, prefix, areaName: type, region: null, ranges };
  });
}

function prefixesOf(iso: string, type: string, types: string[]): string[] {
  const written = known[type]?.[iso];
  if (written) return written;
  if (type === 'Mobile') return [examples[iso as CountryCode].slice(0, 3)];
  const found = searchOrder(type).find((prefix) => lengths.some((length) => accepts(iso, prefix, length, types)));
  return found ? [found] : [];
}

const lengths = [10, 9, 8, 7, 11];

function searchOrder(type: string): string[] {
  const all = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));
  return type === 'Toll-free' ? ['800', '1800', '0800', ...all] : all;
}

function accepts(iso: string, prefix: string, length: number, types: string[]): boolean {
  const calling = diallingCode(iso) ?? '';
  return ['5', '2', '0'].some((digit) => {
    const start = prefix.padEnd(length - 3, digit);
    return ['000', '500'].every((end) => types.includes(numberType(`${calling}${start}${end}`, iso) ?? ''));
  });
}

function globalGroup(): Group {
  const { iso, prefix } = global;
  return {
    country: iso,
    type: 'Global',
    prefix: '5100',
    areaName: 'Global',
    region: null,
    ranges: [[`${prefix}510000012000`, 100]],
  };
}
