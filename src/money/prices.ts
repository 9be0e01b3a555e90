/** The rules from a list price to what a customer pays: VAT, and a part of a month. */
import { type Amount, parseAmount, timesRatio } from './decimal.ts';

/**
 * SKU and pool prices exclude VAT, order amounts include it. A price that carries no VAT stays exactly as listed;
 * one that does is rounded to cents, since it appears on an invoice.
 */
export function withVat(price: Amount, vatRate: string): Amount {
  const thousandths = vatThousandths(vatRate);
  return thousandths === 0n ? price : timesRatio(price, 100_000n + thousandths, 100_000n);
}

/** The VAT inside an amount that includes it. */
export function vatWithin(amount: Amount, vatRate: string): Amount {
  const thousandths = vatThousandths(vatRate);
  return thousandths === 0n ? 0n : timesRatio(amount, thousandths, 100_000n + thousandths);
}

/** `days` of a cycle that has `cycleDays`: 25.0 for 24 of 31 days is 19.35 (the contract's check value). */
export function prorated(monthly: Amount, days: number, cycleDays: number): Amount {
  return days === cycleDays ? monthly : timesRatio(monthly, BigInt(days), BigInt(cycleDays));
}

function vatThousandths(rate: string): bigint {
  return parseAmount(rate) / 10n;
}
