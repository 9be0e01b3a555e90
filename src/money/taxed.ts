/**
 * An amount with its tax. A price is split once, where it is created (`src/billing/vat.ts`); from there to the ledger
 * both parts stay together, so that the booked tax is the charged tax.
 */
import type { Amount } from './decimal.ts';

export interface Taxed {
  /** The amount without tax. */
  readonly net: Amount;
  readonly vat: Amount;
  /** In percent, as the database formats it: `21.000`. */
  readonly vatRate: string;
}

/** The amount that the customer pays. */
export const grossOf = ({ net, vat }: Taxed): Amount => net + vat;

export const free = (vatRate: string): Taxed => ({ net: 0n, vat: 0n, vatRate });

export function times(price: Taxed, qty: number): Taxed {
  return { ...price, net: price.net * BigInt(qty), vat: price.vat * BigInt(qty) };
}

export function plus(one: Taxed, other: Taxed): Taxed {
  return { ...sameRate(one, other), net: one.net + other.net, vat: one.vat + other.vat };
}

export function minus(one: Taxed, other: Taxed): Taxed {
  return { ...sameRate(one, other), net: one.net - other.net, vat: one.vat - other.vat };
}

/** Amounts can be added only if they have the same rate, because a booking has one rate. */
function sameRate(one: Taxed, other: Taxed): Taxed {
  if (Number(one.vatRate) !== Number(other.vatRate)) throw new Error('amounts of two VAT rates in one sum');
  return one;
}
