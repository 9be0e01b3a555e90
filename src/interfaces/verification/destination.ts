/**
 * Destinations in one form, whatever was typed: the digits of E.164 without `+`. Cooldown, guards, rates and lookups by
 * number all use this form, so that no second spelling of a number gets around them.
 */

import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';
import QuickLRU from 'quick-lru';

interface NumberFacts {
  /** False when the numbering plans hold no such number; type and often country are unknown then. */
  isKnown: boolean;
  country: string | null;
  /** In a range that costs callers more, or, if no plan holds it, beginning like one. */
  isPremium: boolean;
  /** Certainly a landline; false where a numbering plan does not distinguish landlines from mobiles. */
  isLandline: boolean;
}

const premiumTypes = new Set(['PREMIUM_RATE', 'SHARED_COST', 'UAN', 'PERSONAL_NUMBER']);
/**
 * Satellites, international networks, and international shared-cost and premium-rate services: no country, and the
 * dearest.
 */
const premiumCodes = new Set(['808', '870', '878', '881', '882', '883', '888', '979']);

/**
 * What the text of a destination may look like, separators included (contract 1.3; two digits more for a leading `00`).
 */
export const destinationPattern =
  '^[ \\t\\n\\v\\f\\r()\\-]*\\+?([ \\t\\n\\v\\f\\r()\\-]*[0-9]){8,17}[ \\t\\n\\v\\f\\r()\\-]*$';

const destinationForm = new RegExp(destinationPattern);

/** Null for text that is not a telephone number in international form. */
export function parseDestination(text: string): string | null {
  if (!destinationForm.test(text)) return null;
  const digits = text.replace(/\D/g, '');
  if (text.includes('+') && digits.startsWith('0')) return null;
  const found = normaliseDigits(digits);
  return found !== null && digits.replace(/^00/, '').length <= 15 ? found : null;
}

/** Numbers of the last requests: a client that starts a verification soon asks for its message. */
const normalised = new QuickLRU<string, string | null>({ maxSize: 1_000 });
/** A longer text is no number of anybody. */
const longestNormalised = 17;

function normaliseDigits(digits: string): string | null {
  const known = normalised.get(digits);
  if (known !== undefined) return known;
  if (digits.length > longestNormalised) return computeNormalised(digits);
  const found = computeNormalised(digits);
  normalised.set(digits, found);
  return found;
}

/**
 * No E.164 number starts with 0. A leading `00` and a trunk zero behind the country code are removed where
 * libphonenumber finds a possible number without them; every other zero in these places makes the number invalid
 * (null).
 */
function computeNormalised(digits: string): string | null {
  if (digits.startsWith('00')) {
    const rest = digits.slice(2);
    return !rest.startsWith('0') && parse(rest)?.isPossible() ? computeNormalised(rest) : null;
  }
  if (digits === '' || digits.startsWith('0')) return null;
  const parsed = parse(digits);
  // An unassigned country code: nothing to normalise. The setting `unknownNumbers` decides whether it is accepted.
  if (parsed === undefined) return digits;
  // Not in any numbering plan, and a zero where only some plans have one.
  if (parsed.nationalNumber.startsWith('0') && !parsed.isValid()) return null;
  if (!parsed.isPossible()) return digits.startsWith('0', parsed.countryCallingCode.length) ? null : digits;
  const canonical = parsed.number.slice(1);
  // After one prefix was removed there may be another (carrier codes in China).
  return canonical.length < digits.length ? computeNormalised(canonical) : canonical;
}

/**
 * The number of a path or a filter in the form in which numbers are stored; text that names no number finds nothing.
 */
export function numberToLookUp(text: string): string {
  const digits = text.replace(/\D/g, '');
  return normaliseDigits(digits) ?? digits;
}

/** What the numbering plans say about a normalised number. */
export function numberFacts(digits: string): NumberFacts {
  const parsed = parse(digits);
  const type = parsed?.getType() ?? '';
  return {
    isKnown: parsed?.isValid() ?? false,
    country: parsed?.country ?? null,
    isPremium: premiumTypes.has(type) || (parsed !== undefined && beginsPremium(parsed)),
    isLandline: type === 'FIXED_LINE',
  };
}

/**
 * The country that a number is attributed to, also one that no plan holds (numbers for tests and films, mistypes).
 * Where countries share a calling code (+1, +7, +44), its first digits decide, and if they do not, the code's main
 * country.
 */
export function countryOf(digits: string): string | null {
  const parsed = parse(digits);
  if (parsed === undefined || parsed.country !== undefined) return parsed?.country ?? null;
  const similar = similarNumbers(parsed).find(({ country }) => country !== undefined);
  const sharing: Partial<Record<string, readonly string[]>> = metadata.country_calling_codes;
  return similar?.country ?? sharing[parsed.countryCallingCode]?.[0] ?? null;
}

function beginsPremium(parsed: PhoneNumber): boolean {
  if (premiumCodes.has(parsed.countryCallingCode)) return true;
  return !parsed.isValid() && similarNumbers(parsed).some((number) => premiumTypes.has(number.getType() ?? ''));
}

/** Numbers of the plans that begin like one that is none, a few digits longer or shorter. */
function similarNumbers({ countryCallingCode, nationalNumber }: PhoneNumber): PhoneNumber[] {
  const lengths = [0, -1, 1, -2, 2, -3, 3].map((difference) => nationalNumber.length + difference);
  return lengths
    .flatMap((length) => [...'250'].map((digit) => nationalNumber.slice(0, length).padEnd(length, digit)))
    .map((national) => parse(`${countryCallingCode}${national}`))
    .filter((number) => number?.isValid() === true)
    .filter((number) => number !== undefined);
}

function parse(digits: string): PhoneNumber | undefined {
  return parsePhoneNumberFromString(`+${digits}`, { extract: false });
}
