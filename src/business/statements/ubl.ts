/** A bill as an electronic invoice: UBL 2.1 with the rules of EN 16931. */
import type { BillDocument, BillLine, BillTax, Party, TaxCategory } from './bill-document.ts';

/** What keeps a bill from being written as one, as a sentence; null for nothing. */
export function unfitForUbl({ seller, buyer, taxes }: BillDocument): string | null {
  if (seller.country === null) return 'An e-invoice needs the country of the seller (TRUNKLINE_SELLER_COUNTRY).';
  if (buyer.country === null) return 'The customer had no billing profile when this was issued.';
  // BR-S-09 and its like: the tax of a rate is its share of the taxable amount. Each unit's tax was rounded.
  const isOff = taxes.some(({ net, rate, vat }) => Math.abs((Number(net) * Number(rate)) / 100 - Number(vat)) >= 1);
  return isOff
    ? 'The VAT of its many units, each rounded, differs from that of their sum by more than EN 16931 allows.'
    : null;
}

export function ublOf(bill: BillDocument): string {
  const isInvoice = bill.kind === 'invoice';
  const name = isInvoice ? 'Invoice' : 'CreditNote';
  const paid = bill.total;
  const untaxed = bill.taxes.every(({ category }) => category === 'O');
  return `<?xml version="1.0" encoding="UTF-8"?>
<${name} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${name}-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
${lines(
  basic('CustomizationID', 'urn:cen.eu:en16931:2017'),
  basic('ID', bill.reference),
  basic('IssueDate', bill.issued),
  basic(isInvoice ? 'InvoiceTypeCode' : 'CreditNoteTypeCode', isInvoice ? '380' : '381'),
  basic('Note', isInvoice ? 'Paid from the prepaid balance.' : 'Returned to the prepaid balance.'),
  basic('DocumentCurrencyCode', bill.currency),
  bill.purchase_order === null ? '' : basic('BuyerReference', bill.purchase_order),
  aggregate('InvoicePeriod', basic('StartDate', bill.from), basic('EndDate', bill.to)),
  ...bill.corrects.map(({ reference, issued }) =>
    aggregate(
      'BillingReference',
      aggregate('InvoiceDocumentReference', basic('ID', reference), basic('IssueDate', issued)),
    ),
  ),
  aggregate('AccountingSupplierParty', party(bill.seller, untaxed)),
  aggregate('AccountingCustomerParty', party(bill.buyer, untaxed)),
  aggregate('TaxTotal', amount('TaxAmount', bill.vat, bill), ...bill.taxes.map((tax) => subtotal(tax, bill))),
  aggregate(
    'LegalMonetaryTotal',
    amount('LineExtensionAmount', bill.net, bill),
    amount('TaxExclusiveAmount', bill.net, bill),
    amount('TaxInclusiveAmount', bill.total, bill),
    amount('PrepaidAmount', paid, bill),
    amount('PayableAmount', '0.00', bill),
  ),
  ...bill.lines.map((line, index) => lineOf(line, index + 1, bill)),
)}</${name}>
`;
}

/** What is not subject to VAT names no VAT ids (BR-O-02 to BR-O-04); parties are known by a registration instead. */
function party({ name, address, postal_code, city, country, vat_id }: Party, untaxed: boolean): string {
  const [street = '', additional = '', ...rest] = address;
  const further = rest.join(', ');
  return aggregate(
    'Party',
    aggregate(
      'PostalAddress',
      street === '' ? '' : basic('StreetName', street),
      additional === '' ? '' : basic('AdditionalStreetName', additional),
      city === null ? '' : basic('CityName', city),
      postal_code === null ? '' : basic('PostalZone', postal_code),
      further === '' ? '' : aggregate('AddressLine', basic('Line', further)),
      aggregate('Country', basic('IdentificationCode', country ?? '')),
    ),
    vat_id === null || untaxed
      ? ''
      : aggregate('PartyTaxScheme', basic('CompanyID', vat_id), aggregate('TaxScheme', basic('ID', 'VAT'))),
    aggregate('PartyLegalEntity', basic('RegistrationName', name), untaxed ? basic('CompanyID', vat_id ?? name) : ''),
  );
}

function subtotal({ category, rate, net, vat, note }: BillTax, bill: BillDocument): string {
  const code = exemptionCodes[category];
  return aggregate(
    'TaxSubtotal',
    amount('TaxableAmount', net, bill),
    amount('TaxAmount', vat, bill),
    aggregate(
      'TaxCategory',
      ...taxCategory(category, rate),
      code === undefined ? '' : basic('TaxExemptionReasonCode', code),
      note === null ? '' : basic('TaxExemptionReason', note),
      aggregate('TaxScheme', basic('ID', 'VAT')),
    ),
  );
}

const exemptionCodes: Readonly<Partial<Record<TaxCategory, string>>> = { AE: 'VATEX-EU-AE', O: 'VATEX-EU-O' };

const taxCategory = (category: TaxCategory, rate: string): string[] => [
  basic('ID', category),
  ...(category === 'O' ? [] : [basic('Percent', rate)]),
];

/** C62: one piece. The quantity of what was taken back is negative, its price never. */
function lineOf(
  { description, from, to, quantity, price, per, net, category, rate }: BillLine,
  id: number,
  bill: BillDocument,
): string {
  const [name, unit] =
    bill.kind === 'invoice' ? ['InvoiceLine', 'InvoicedQuantity'] : ['CreditNoteLine', 'CreditedQuantity'];
  return aggregate(
    name,
    basic('ID', String(id)),
    basic(unit, quantity, ' unitCode="C62"'),
    amount('LineExtensionAmount', net, bill),
    from === null || to === null ? '' : aggregate('InvoicePeriod', basic('StartDate', from), basic('EndDate', to)),
    aggregate(
      'Item',
      basic('Name', description),
      aggregate('ClassifiedTaxCategory', ...taxCategory(category, rate), aggregate('TaxScheme', basic('ID', 'VAT'))),
    ),
    aggregate('Price', amount('PriceAmount', price, bill), basic('BaseQuantity', String(per), ' unitCode="C62"')),
  );
}

const amount = (name: string, text: string, { currency }: BillDocument): string =>
  basic(name, text, ` currencyID="${currency}"`);

const basic = (name: string, text: string, attributes = ''): string =>
  `<cbc:${name}${attributes}>${escaped(text)}</cbc:${name}>\n`;

const aggregate = (name: string, ...children: string[]): string =>
  `<cac:${name}>\n${lines(...children)}</cac:${name}>\n`;

const lines = (...children: string[]): string => children.join('');

/** What XML cannot hold at all is left out. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '&quot;');
