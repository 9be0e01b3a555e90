/**
 * An amount with its tax. A price is split once, where it is made (`src/billing/vat.ts`); from there to the ledger both parts
 * travel together, so that the tax in the books is the tax that was charged.
 */
import type { Amount } from './decimal.ts';

export interface Taxed {
  /** What is earned. */
  readonly net: Amount;
  readonly vat: Amount;
  /** In percent, as the database writes it: `21.000`. */
  readonly vatRate: string;
}

/** What the customer pays. */
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

/** A sum has one rate, or the books could not name it. */
function sameRate(one: Taxed, other: Taxed): Taxed {
  if (Number(one.vatRate) !== Number(other.vatRate)) throw new Error('amounts of two VAT rates in one sum');
  return one;
}
