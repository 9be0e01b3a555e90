/** An invoice or a credit note as A4 pages. */
import type { BillDocument, BillLine, Party } from './bill-document.ts';
import { openPdf, type Pdf } from './pdf-pages.ts';
import { shownAmount } from './statement-pdf.ts';

const left = 56;
const width = 483;
const right = left + width;
const bottom = 760;
const grey = '#5b6470';
const rule = '#d5dae1';
const ink = '#16202c';
const accent = '#0b7285';

interface Column {
  title: string;
  x: number;
  width: number;
  align: 'left' | 'right';
}

const columns = {
  description: { title: 'Service', x: left, width: 248, align: 'left' },
  quantity: { title: 'Quantity', x: left + 254, width: 46, align: 'right' },
  price: { title: 'Unit price', x: left + 304, width: 64, align: 'right' },
  rate: { title: 'VAT', x: left + 372, width: 36, align: 'right' },
  net: { title: 'Net', x: left + 412, width: 71, align: 'right' },
} as const satisfies Record<string, Column>;

export async function billPdf(bill: BillDocument): Promise<Buffer> {
  const title = bill.kind === 'invoice' ? 'Invoice' : 'Credit note';
  const at = new Date(`${bill.issued}T00:00:00Z`);
  const { pdf, finish } = await openPdf({ title: `${title} ${bill.reference}`, at, margin: left });
  head(pdf, bill, title);
  table(pdf, bill);
  sums(pdf, bill);
  notes(pdf, bill);
  return finish((page, count) => footer(pdf, bill, `${page} / ${count}`));
}

function head(pdf: Pdf, bill: BillDocument, title: string): void {
  const { seller, buyer } = bill;
  pdf.rect(0, 0, 596, 6).fill(accent);
  pdf
    .font('bold')
    .fontSize(13)
    .fillColor(ink)
    .text(seller.name || 'Seller', left, 48, { width: 280 });
  pdf.font('plain').fontSize(8.5).fillColor(grey);
  for (const line of addressOf(seller)) pdf.text(line, left, pdf.y, { width: 280 });
  const afterSeller = pdf.y;
  pdf
    .font('bold')
    .fontSize(20)
    .fillColor(accent)
    .text(title, left + 260, 44, { width: width - 260, align: 'right' });
  pdf.font('plain').fontSize(10).fillColor(ink);
  pdf.text(bill.reference, left + 260, 70, { width: width - 260, align: 'right' });
  const top = Math.max(afterSeller, 100) + 24;
  label(pdf, bill.kind === 'invoice' ? 'Billed to' : 'Credited to', left, top);
  pdf
    .font('bold')
    .fontSize(10)
    .fillColor(ink)
    .text(buyer.name, left, top + 13, { width: 250 });
  pdf.font('plain').fontSize(9);
  for (const line of addressOf(buyer)) pdf.text(line, left, pdf.y, { width: 250 });
  const afterBuyer = pdf.y;
  let y = top;
  for (const [name, value] of facts(bill)) {
    label(pdf, name, left + 270, y, 80);
    pdf
      .font('plain')
      .fontSize(9)
      .fillColor(ink)
      .text(value, left + 340, y - 1, { width: 143, align: 'right' });
    y = Math.max(pdf.y, y + 13) + 2;
  }
  pdf.y = Math.max(afterBuyer, y) + 22;
}

const facts = (bill: BillDocument): [string, string][] => [
  ['Date of issue', day(bill.issued)],
  ['Period', `${day(bill.from)} – ${day(bill.to)}`],
  ['Currency', bill.currency],
  ...(bill.purchase_order === null ? [] : ([['Your reference', bill.purchase_order]] as [string, string][])),
  ...bill.corrects.map(({ reference, issued }): [string, string] => ['Corrects', `${reference}, ${day(issued)}`]),
];

function addressOf({ address, postal_code, city, country, vat_id }: Party): string[] {
  const place = [postal_code, city].filter((part) => part !== null).join(' ');
  return [
    ...address,
    ...(place === '' ? [] : [place]),
    ...(country === null ? [] : [countryName(country)]),
    ...(vat_id === null ? [] : [`VAT id ${vat_id}`]),
  ];
}

const names = new Intl.DisplayNames(['en'], { type: 'region' });
const countryName = (code: string): string => names.of(code) ?? code;

function table(pdf: Pdf, bill: BillDocument): void {
  tableHead(pdf);
  for (const line of bill.lines) {
    const period = line.from === null || line.to === null ? '' : `${day(line.from)} – ${day(line.to)}`;
    pdf.font('plain').fontSize(8.5);
    const size = { width: columns.description.width };
    const height = pdf.heightOfString(line.description, size) + (period === '' ? 0 : pdf.heightOfString(period, size));
    if (pdf.y + height + 12 > bottom) {
      pdf.addPage();
      pdf.y = 56;
      tableHead(pdf);
    }
    const y = pdf.y;
    cell(pdf, columns.description, line.description, y);
    if (period !== '') {
      pdf.fillColor(grey);
      cell(pdf, columns.description, period, pdf.y);
      pdf.fillColor(ink);
    }
    cell(pdf, columns.quantity, line.quantity, y);
    cell(pdf, columns.price, shownPrice(line), y);
    cell(pdf, columns.rate, line.category === 'S' ? `${line.rate} %` : '–', y);
    cell(pdf, columns.net, money(line.net), y);
    line_(pdf, y + height + 5);
    pdf.y = y + height + 10;
  }
}

function tableHead(pdf: Pdf): void {
  const y = pdf.y;
  pdf.font('bold').fontSize(8).fillColor(grey);
  for (const column of Object.values(columns)) cell(pdf, column, column.title, y);
  line_(pdf, y + 14, ink);
  pdf.font('plain').fontSize(8.5).fillColor(ink);
  pdf.y = y + 20;
}

/** Of one unit; where that has more decimals than are booked, rounded to six. */
const shownPrice = ({ price, per }: BillLine): string =>
  per === 1 ? shownAmount(price) : shownAmount((Number(price) / per).toFixed(6));

function sums(pdf: Pdf, bill: BillDocument): void {
  const rows: [string, string][] = [
    ['Net', money(bill.net)],
    ...bill.taxes.map(({ rate, net, vat, category }): [string, string] => [
      category === 'S' ? `VAT ${rate} % of ${money(net)}` : `VAT 0 % of ${money(net)}`,
      money(vat),
    ]),
  ];
  if (pdf.y + rows.length * 15 + 60 > bottom) {
    pdf.addPage();
    pdf.y = 56;
  }
  pdf.y += 6;
  for (const [name, value] of rows) {
    const y = pdf.y;
    pdf
      .font('plain')
      .fontSize(9)
      .fillColor(ink)
      .text(name, left + 220, y, { width: 180, align: 'right' });
    pdf.text(value, left + 404, y, { width: 79, align: 'right' });
    pdf.y = y + 15;
  }
  const y = pdf.y + 3;
  line_(pdf, y - 2, ink, left + 254);
  pdf
    .font('bold')
    .fontSize(11)
    .text('Total', left + 220, y + 4, { width: 130, align: 'right' });
  pdf.text(`${bill.currency} ${money(bill.total)}`, left + 354, y + 4, { width: 129, align: 'right' });
  pdf.y = y + 34;
}

function notes(pdf: Pdf, bill: BillDocument): void {
  const reasons = bill.taxes.flatMap(({ note }) => note ?? []);
  const paid =
    bill.kind === 'invoice'
      ? 'Paid from the prepaid balance. Nothing is left to pay.'
      : 'The amount was returned to the prepaid balance.';
  pdf.font('plain').fontSize(9).fillColor(ink);
  for (const text of [...new Set(reasons), paid]) {
    if (pdf.y + 24 > bottom) {
      pdf.addPage();
      pdf.y = 56;
    }
    pdf.text(text, left, pdf.y, { width }).moveDown(0.4);
  }
}

function footer(pdf: Pdf, { seller, reference }: BillDocument, page: string): void {
  line_(pdf, bottom + 26);
  pdf.font('plain').fontSize(7.5).fillColor(grey);
  const name = [seller.name, ...(seller.vat_id === null ? [] : [`VAT id ${seller.vat_id}`]), reference].join('  ·  ');
  pdf.text(name, left, bottom + 32, { width: width - 60, lineBreak: false });
  pdf.text(page, right - 60, bottom + 32, { width: 60, align: 'right', lineBreak: false });
}

const label = (pdf: Pdf, text: string, x: number, y: number, size = 200) =>
  pdf.font('plain').fontSize(8).fillColor(grey).text(text, x, y, { width: size });

const cell = (pdf: Pdf, { x, width: size, align }: Column, text: string, y: number) =>
  pdf.text(text, x, y, { width: size, align });

const line_ = (pdf: Pdf, y: number, color = rule, from = left) =>
  pdf.moveTo(from, y).lineTo(right, y).lineWidth(0.6).strokeColor(color).stroke();

const money = (text: string): string => shownAmount(text).replace(/\B(?=(\d{3})+\.)/g, ',');

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const day = (iso: string): string => days.format(new Date(`${iso}T00:00:00Z`));
