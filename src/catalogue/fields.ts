/** Fields that only catalogue records have. */
import { decimal, integer, text } from '../fields.ts';

export const count = integer(0, 2_147_483_647);
export const price = decimal('a price such as "0.80"', { whole: 8 });
/** Empty for a group in a country without area codes. */
export const digits = text(/^\d{0,10}$/, 'digits');
