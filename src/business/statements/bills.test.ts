/** What bills say and how they round; e-invoices by the business rules of EN 16931, by their names there. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAmount } from '../money/decimal.ts';
import { type BillHead, type Charged, makeBill, type Party } from './bill-document.ts';
import { ublOf, unfitForUbl } from './ubl.ts';

const seller: Party = {
  ...{ name: 'Nummern & Söhne GmbH', address: ['Weg 1'], postal_code: '10115', city: 'Berlin' },
  ...{ country: 'DE', vat_id: 'DE136695976' },
};
const french: Party = {
  ...{ name: 'Exemple <SA>', address: ['1 rue du Test'], postal_code: '75001', city: 'Paris' },
  ...{ country: 'FR', vat_id: 'FR40303265045' },
};
const buyers = {
  french,
  german: { ...french, country: 'DE', vat_id: 'DE129273398' },
  consumer: { ...french, vat_id: null },
  american: { ...french, country: 'US', vat_id: null },
};
const head = (more: Partial<BillHead> = {}): BillHead => ({
  ...{ kind: 'invoice', reference: 'INV-000001', issued: '2026-12-02', from: '2026-11-01', to: '2026-11-30' },
  ...{ currency: 'EUR', seller, buyer: french, purchase_order: 'PO 7', corrects: [], ...more },
});
const charge = (net: string, vat: string, vatRate: string, more: Partial<Charged> = {}): Charged => ({
  ...{ description: 'Number +44 20 7946 0000, London', from: '2026-11-18', to: '2026-12-17', quantity: 1 },
  ...{ net: parseAmount(net), vat: parseAmount(vat), vatRate, ...more },
});

test.each([
  ['german', '19.000', '0.38', 'S', null],
  ['consumer', '20.000', '0.40', 'S', null],
  ['french', '0.000', '0', 'AE', /^Reverse charge/],
  ['american', '0.000', '0', 'O', /^Not subject to VAT/],
  ['german', '0.000', '0', 'Z', null],
] as const)('a customer that is %s at %s %%: category %3$s', (buyer, rate, vat, category, note) => {
  const { taxes, total } = makeBill(head({ buyer: buyers[buyer] }), [charge('2', vat, rate)]);
  expect(taxes).toMatchObject([{ category, net: '2.00' }]);
  expect(total).toBe((2 + Number(vat)).toFixed(2));
  if (note === null) expect(taxes[0]?.note).toBeNull();
  else expect(taxes[0]?.note).toMatch(note);
});

test('two rates in one month stand apart, and what carries none is exempt beside the other', () => {
  const bill = makeBill(head({ buyer: buyers.american }), [charge('2', '0.38', '19'), charge('3', '0', '0')]);
  expect(bill.taxes.map(({ category, rate, vat }) => [category, rate, vat])).toEqual([
    ['S', '19', '0.38'],
    ['E', '0', '0.00'],
  ]);
});

test('lines add up to their sum, whatever their decimals, and a unit that cannot be divided is priced as a whole', () => {
  const amounts = fc.array(fc.tuple(fc.bigInt(1n, 10n ** 7n), fc.integer({ min: 1, max: 999 })), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(amounts, (given) => {
      const parts = given.map(([net, quantity]) => ({ ...charge('0', '0', '0'), net, quantity }));
      const { lines, net } = makeBill(head(), parts);
      const shown = lines.reduce((sum, line) => sum + parseAmount(line.net), 0n);
      const exact = parts.reduce((sum, part) => sum + part.net, 0n);
      const off = parseAmount(net) - exact;
      const prices = lines.every(
        ({ price, per, quantity }, index) =>
          parseAmount(price) * BigInt(quantity) === BigInt(per) * (parts[index]?.net ?? 0n),
      );
      return shown === parseAmount(net) && off <= 50n && off > -50n && prices;
    }),
  );
});

/** The texts of all elements of that name, inside the first element of another one if that is named. */
const all = (xml: string, name: string, within?: string): string[] => {
  const part =
    within === undefined ? xml : (new RegExp(`<cac:${within}>([\\s\\S]*?)</cac:${within}>`).exec(xml)?.[1] ?? '');
  return [...part.matchAll(new RegExp(`<c[ab]c:${name}(?: [^>]*)?>([\\s\\S]*?)</c[ab]c:${name}>`, 'g'))].map(
    ([, text = '']) => text,
  );
};
const cents = (texts: readonly string[]) => texts.reduce((sum, text) => sum + parseAmount(text), 0n);

const charges = [
  charge('5.0000', '0.9500', '19', { quantity: 2, description: 'Numbers, set-up' }),
  charge('1.9999', '0.3800', '19', { quantity: 3, from: null, to: null }),
  charge('-1.0000', '-0.1900', '19', { quantity: -1, description: 'Order ABC-123456, cancelled before delivery' }),
];
const cases = [
  ['S', makeBill(head({ buyer: buyers.german }), charges)],
  [
    'AE',
    makeBill(
      head(),
      charges.map((part) => ({ ...part, vat: 0n, vatRate: '0' })),
    ),
  ],
  ['O', makeBill(head({ buyer: buyers.american }), [charge('2.0001', '0', '0')])],
  [
    'S',
    makeBill(
      head({
        kind: 'credit_note',
        reference: 'CN-000001',
        buyer: buyers.german,
        corrects: [{ reference: 'INV-000001', issued: '2026-11-02' }],
      }),
      charges.slice(0, 2),
    ),
  ],
] as const;

test.each(cases)('an e-invoice with the category %s keeps the business rules', (category, bill) => {
  const xml = ublOf(bill);
  expect(unfitForUbl(bill)).toBeNull();
  const [root = ''] = /<(Invoice|CreditNote) /.exec(xml) ?? [];
  const isInvoice = root.startsWith('<Invoice');
  const once = (name: string, within?: string) => {
    const [text = ''] = all(xml, name, within);
    return text;
  };
  // BR-01 to BR-05: specification, number, date, type, currency.
  expect(once('CustomizationID')).toBe('urn:cen.eu:en16931:2017');
  expect([once('ID'), once('IssueDate'), once('DocumentCurrencyCode')]).toEqual([bill.reference, '2026-12-02', 'EUR']);
  expect(isInvoice ? once('InvoiceTypeCode') : once('CreditNoteTypeCode')).toBe(isInvoice ? '380' : '381');
  // BR-06 to BR-11: names, addresses and countries of both.
  for (const side of ['AccountingSupplierParty', 'AccountingCustomerParty']) {
    expect(once('RegistrationName', side)).not.toBe('');
    expect(once('IdentificationCode', side)).toMatch(/^[A-Z]{2}$/);
  }
  // BR-12 to BR-15, BR-CO-10, BR-CO-13, BR-CO-15, BR-CO-16: the sums.
  const lineNets = all(xml, isInvoice ? 'InvoiceLine' : 'CreditNoteLine').map(
    (line) => all(line, 'LineExtensionAmount')[0] ?? '',
  );
  const [net, gross, tax] = [once('TaxExclusiveAmount'), once('TaxInclusiveAmount'), once('TaxAmount', 'TaxTotal')];
  expect(cents(lineNets)).toBe(parseAmount(once('LineExtensionAmount', 'LegalMonetaryTotal')));
  expect(parseAmount(net)).toBe(cents(lineNets));
  expect(parseAmount(gross)).toBe(parseAmount(net) + parseAmount(tax));
  expect(parseAmount(once('PayableAmount'))).toBe(parseAmount(gross) - parseAmount(once('PrepaidAmount')));
  // BR-16, BR-21 to BR-27: lines have an id, a quantity, a unit, a name, and a price that is not negative.
  expect(lineNets.length).toBeGreaterThan(0);
  expect(new Set(all(xml, isInvoice ? 'InvoiceLine' : 'CreditNoteLine').map((line) => all(line, 'ID')[0])).size).toBe(
    lineNets.length,
  );
  expect(all(xml, isInvoice ? 'InvoicedQuantity' : 'CreditedQuantity')).toHaveLength(lineNets.length);
  for (const price of all(xml, 'PriceAmount')) expect(parseAmount(price)).toBeGreaterThanOrEqual(0n);
  // BR-DEC-*: sums have two decimals at most.
  for (const name of ['LineExtensionAmount', 'TaxAmount', 'TaxableAmount', 'TaxInclusiveAmount', 'PayableAmount']) {
    for (const text of all(xml, name)) expect(text).toMatch(/^-?\d+\.\d\d$/);
  }
  // BR-CO-14, BR-CO-18, BR-S-08: the breakdown has every category, and its sums.
  expect(cents(all(xml, 'TaxSubtotal').map((part) => all(part, 'TaxAmount')[0] ?? ''))).toBe(parseAmount(tax));
  expect(cents(all(xml, 'TaxableAmount'))).toBe(parseAmount(net));
  expect(
    new Set([...all(xml, 'TaxCategory'), ...all(xml, 'ClassifiedTaxCategory')].map((part) => all(part, 'ID')[0])),
  ).toEqual(new Set([category]));
  const vatIds = ['AccountingSupplierParty', 'AccountingCustomerParty'].map(
    (side) => all(xml, 'PartyTaxScheme', side).length,
  );
  const reason = once('TaxExemptionReason');
  if (category === 'S') {
    // BR-S-02, BR-S-05, BR-S-09, BR-S-10.
    expect([vatIds[0], reason]).toEqual([1, '']);
    expect(Number(once('Percent'))).toBeGreaterThan(0);
    expect(Math.abs((Number(net) * Number(once('Percent'))) / 100 - Number(tax))).toBeLessThan(1);
  } else if (category === 'AE') {
    // BR-AE-02, BR-AE-05, BR-AE-09, BR-AE-10.
    expect([vatIds, once('Percent'), tax]).toEqual([[1, 1], '0', '0.00']);
    expect(reason).toMatch(/^Reverse charge/);
  } else {
    // BR-O-02, BR-O-05, BR-O-09, BR-O-10, and BR-CO-26: the seller is known by another number.
    expect([vatIds, all(xml, 'Percent'), tax]).toEqual([[0, 0], [], '0.00']);
    expect(reason).toMatch(/^Not subject to VAT/);
    expect(once('CompanyID', 'AccountingSupplierParty')).toBe('DE136695976');
  }
  // BR-55: what a credit note corrects is named.
  if (!isInvoice) expect(all(xml, 'ID', 'BillingReference')).toEqual(['INV-000001']);
});

test('names of strangers stay text', () => {
  const xml = ublOf(makeBill(head({ purchase_order: 'a\u0001<b>&"' }), [charge('1', '0', '0')]));
  expect(xml).toContain('<cbc:BuyerReference>a&lt;b&gt;&amp;&quot;</cbc:BuyerReference>');
  expect(xml).toContain('Exemple &lt;SA&gt;');
});

test('what an e-invoice cannot say is refused with the reason', () => {
  const bill = (more: Partial<BillHead>, parts = [charge('2', '0.38', '19')]) =>
    unfitForUbl(makeBill(head(more), parts));
  expect(bill({ seller: { ...seller, country: null } })).toMatch(/TRUNKLINE_SELLER_COUNTRY/);
  expect(bill({ buyer: { ...french, country: null } })).toMatch(/billing profile/);
  expect(bill({ buyer: buyers.german }, [charge('1000', '191.5', '19')])).toMatch(/rounded/);
});
