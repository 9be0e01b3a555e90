/**
 * What an invoice or a credit note says: made once, when it is issued, and stored as it is. Amounts are in hundredths,
 * while the ledger keeps ten-thousandths: each rate's lines are rounded so that they add up to the rounded sum.
 */
import { type TaxRule, taxRuleFor } from '../billing/tax-rules.ts';
import { type Amount, cent, formatCents, formatTrimmed, parseAmount, timesRatio } from '../money/decimal.ts';

export type BillKind = 'invoice' | 'credit_note';

export interface Party {
  name: string;
  address: string[];
  postal_code: string | null;
  city: string | null;
  country: string | null;
  vat_id: string | null;
}

/** UNCL 5305: standard rate, zero rate, reverse charge, not subject to VAT, exempt. */
export type TaxCategory = 'S' | 'Z' | 'AE' | 'O' | 'E';

export interface BillLine {
  description: string;
  /** Days, both included; null where the month of the bill says it. */
  from: string | null;
  to: string | null;
  quantity: string;
  /** Without VAT, for `per` of them. */
  price: string;
  per: number;
  net: string;
  category: TaxCategory;
  rate: string;
}

export interface BillTax {
  category: TaxCategory;
  rate: string;
  net: string;
  vat: string;
  /** Why there is no tax. */
  note: string | null;
}

export interface BillDocument {
  kind: BillKind;
  reference: string;
  issued: string;
  from: string;
  to: string;
  currency: string;
  seller: Party;
  buyer: Party;
  purchase_order: string | null;
  /** Of a credit note: the invoices it corrects. */
  corrects: { reference: string; issued: string }[];
  lines: BillLine[];
  taxes: BillTax[];
  net: string;
  vat: string;
  total: string;
}

/** A part of a month's charges, exact. Of a credit note all amounts are above zero. */
export interface Charged {
  description: string;
  from: string | null;
  to: string | null;
  /** Negative for what was taken back before it was delivered. */
  quantity: number;
  net: Amount;
  vat: Amount;
  vatRate: string;
}

export type BillHead = Omit<BillDocument, 'lines' | 'taxes' | 'net' | 'vat' | 'total'>;

export function makeBill(head: BillHead, charges: readonly Charged[]): BillDocument {
  const rates = [...new Set(charges.map(({ vatRate }) => Number(vatRate)))].sort((a, b) => b - a);
  const rule = ruleOf(head);
  const isMixed = rates.length > 1;
  const groups = rates.map((rate) => {
    const category = categoryOf(head.seller, rule, rate, isMixed);
    const own = charges.filter(({ vatRate }) => Number(vatRate) === rate);
    const tax = { category, rate: String(rate) };
    const lines = rounded(own).map((line) => ({ ...line, ...tax }));
    const net = toCents(sumOf(own, 'net'));
    const vat = toCents(sumOf(own, 'vat'));
    return {
      lines,
      net,
      vat,
      tax: { ...tax, net: formatCents(net), vat: formatCents(vat), note: noteOf(category, rule) },
    };
  });
  const [net, vat] = [sumOf(groups, 'net'), sumOf(groups, 'vat')];
  return {
    ...head,
    lines: groups.flatMap(({ lines }) => lines),
    taxes: groups.map(({ tax }) => tax),
    ...{ net: formatCents(net), vat: formatCents(vat), total: formatCents(net + vat) },
  };
}

/** Null without a country on either side. */
function ruleOf({ seller, buyer }: BillHead): TaxRule | null {
  if (seller.country === null || buyer.country === null) return null;
  return taxRuleFor(seller.country, { country: buyer.country, vat_id: buyer.vat_id });
}

/** A seller without a VAT id charges none; EN 16931 lets `O` stand beside no other category. */
function categoryOf(seller: Party, rule: TaxRule | null, rate: number, isMixed: boolean): TaxCategory {
  if (rate > 0) return 'S';
  const untaxed = isMixed ? 'E' : 'O';
  if (seller.vat_id === null) return untaxed;
  if (rule?.treatment === 'reverse_charge') return 'AE';
  return rule?.treatment === 'outside_eu' ? untaxed : 'Z';
}

function noteOf(category: TaxCategory, rule: TaxRule | null): string | null {
  if (category === 'S' || category === 'Z') return null;
  return rule?.note ?? 'Not subject to VAT.';
}

/** Each line ends at the rounded sum of the lines so far. */
function rounded(charges: readonly Charged[]): Omit<BillLine, 'category' | 'rate'>[] {
  let exact: Amount = 0n;
  let shown: Amount = 0n;
  return charges.map(({ description, from, to, quantity, net }) => {
    exact += net;
    const line = toCents(exact) - shown;
    shown += line;
    return { description, from, to, quantity: String(quantity), ...priceOf(net, quantity), net: formatCents(line) };
  });
}

/** A unit's price; where it has more than four decimals, that of all. */
function priceOf(net: Amount, quantity: number): Pick<BillLine, 'price' | 'per'> {
  const units = BigInt(quantity);
  const isExact = net % units === 0n;
  const price = isExact ? net / units : net;
  return { price: formatTrimmed(price < 0n ? -price : price), per: isExact ? 1 : Math.abs(quantity) };
}

const toCents = (amount: Amount): Amount => timesRatio(amount, 1n, 1n, cent);

const sumOf = <K extends string>(rows: readonly Record<K, Amount>[], name: K): Amount =>
  rows.reduce((sum, row) => sum + row[name], 0n);

/** One sum without a quantity. */
export const wholeLine = (description: string, net: string, vat: string, vatRate: string): Charged => ({
  ...{ description, from: null, to: null, quantity: 1, net: parseAmount(net), vat: parseAmount(vat), vatRate },
});
