/**
 * Formats the caller id for a trunk: raw, E.164, or the national format of the called number's country; with an
 * optional prefix.
 */
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

export type CliFormat = 'raw' | 'e164' | 'local';

export interface CallerIdRule {
  format: CliFormat;
  prefix: string | null;
}

/**
 * `country` is the country of the called number (ISO 3166-1). A caller that is not a telephone number (anonymous, a SIP
 * user) is not changed; a caller from another country has no national format and is shown in E.164.
 */
export function callerIdFor(srcNumber: string, rule: CallerIdRule, country: string | null): string {
  return `${rule.prefix ?? ''}${formatted(srcNumber, rule.format, country)}`;
}

function formatted(srcNumber: string, format: CliFormat, country: string | null): string {
  if (format === 'raw') return srcNumber;
  const home = country !== null && isSupportedCountry(country) ? country : null;
  const parsed = readNumber(srcNumber, home);
  if (parsed === null) return srcNumber;
  const isLocal = format === 'local' && parsed.country !== undefined && parsed.country === home;
  return isLocal ? parsed.formatNational().replace(/\D/g, '') : parsed.number.slice(1);
}

/** Reads the text as E.164, with or without `+`; if that fails, as a national number of `home`. */
function readNumber(text: string, home: CountryCode | null) {
  const digits = text.replace(/[\s().-]/g, '');
  if (!/^\+?\d{3,20}$/.test(digits)) return null;
  const international = parsePhoneNumberFromString(digits.startsWith('+') ? digits : `+${digits}`);
  if (international?.isValid()) return international;
  const national = home === null ? undefined : parsePhoneNumberFromString(digits, home);
  return national?.isValid() ? national : null;
}
