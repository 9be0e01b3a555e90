/** Who sells, and in which currency. */
import { FieldError } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { Seller } from '../../engines/environment.ts';

/** Currencies without cents, or with three decimals, are refused: amounts on invoices are in hundredths. */
export function parseCurrency(text: string): string {
  const code = text.trim().toUpperCase();
  if (!Intl.supportedValuesOf('currency').includes(code)) {
    throw new FieldError('must be the ISO 4217 code of a currency, such as EUR');
  }
  const { maximumFractionDigits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
  }).resolvedOptions();
  if (maximumFractionDigits !== 2) throw new FieldError('must be a currency with hundredths');
  return code;
}

export function parseCountry(text: string): string {
  const code = text.trim().toUpperCase();
  if (!/^[A-Z]{2}$/.test(code)) throw new FieldError('must be the ISO 3166 code of a country, such as DE');
  return code;
}

export function parseVatId(text: string): string {
  const id = text.replace(/[\s.-]/g, '').toUpperCase();
  if (!/^[A-Z]{2}[A-Z0-9+*]{2,18}$/.test(id)) {
    throw new FieldError('must be a VAT id with the prefix of its country, such as DE136695976');
  }
  return id;
}

export function seller(lines: string[] | null, country: string | null, vatId: string | null): Seller {
  if (country !== null && lines === null) {
    throw new OperatorError('TRUNKLINE_SELLER_COUNTRY needs TRUNKLINE_SELLER, the name and address of the seller.');
  }
  if (vatId !== null && country === null) {
    throw new OperatorError('TRUNKLINE_SELLER_VAT_ID needs TRUNKLINE_SELLER_COUNTRY.');
  }
  return { lines: lines ?? [], country, vatId };
}
