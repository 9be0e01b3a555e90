/** What is known of a number from its digits: its country, and whether it is premium or a landline. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface NumberFacts {
  country: string | null;
  isPremium: boolean;
  /** Surely a landline; where a plan does not tell landlines from mobiles, no number is. */
  isLandline: boolean;
}

const PREMIUM = new Set(['PREMIUM_RATE', 'SHARED_COST', 'UAN', 'PERSONAL_NUMBER']);

export function numberFacts(digits: string): NumberFacts {
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  const type = parsed?.getType() ?? '';
  return { country: parsed?.country ?? null, isPremium: PREMIUM.has(type), isLandline: type === 'FIXED_LINE' };
}
