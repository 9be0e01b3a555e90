/** How a trunk shows the caller: as it came, in E.164, or as dialled inside the number's own country; with a prefix. */
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

export type CliFormat = 'raw' | 'e164' | 'local';

export interface CallerIdRule {
  format: CliFormat;
  prefix: string | null;
}

/**
 * `country` is that of the called number (ISO 3166-1). What is no telephone number (anonymous, a SIP user) goes as it
 * came; a caller from another country has no local form and goes in E.164.
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

/** E.164 with or without its `+` first; then as dialled inside the country. */
function readNumber(text: string, home: CountryCode | null) {
  const digits = text.replace(/[\s().-]/g, '');
  if (!/^\+?\d{3,20}$/.test(digits)) return null;
  const international = parsePhoneNumberFromString(digits.startsWith('+') ? digits : `+${digits}`);
  if (international?.isValid()) return international;
  const national = home === null ? undefined : parsePhoneNumberFromString(digits, home);
  return national?.isValid() ? national : null;
}
