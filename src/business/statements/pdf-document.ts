/** A4 pages with a title, facts and tables. */
import { openPdf, type Pdf } from './pdf-pages.ts';

interface TableColumn {
  title: string;
  /** Points; all columns together fill the width of the page, 495. */
  width: number;
  align?: 'left' | 'right';
}

interface PdfText {
  title: string;
  /** When it was made, for the file's own dates. */
  at: Date;
  /** Who sends it, line by line; nobody if empty. */
  seller: readonly string[];
  facts: readonly (readonly [name: string, value: string])[];
  tables: readonly PdfTable[];
}

interface PdfTable {
  title: string;
  columns: readonly TableColumn[];
  rows: readonly (readonly string[])[];
}

const margin = 50;
const bottom = 780;
export async function makePdf({ title, at, seller, facts, tables }: PdfText): Promise<Buffer> {
  const { pdf, finish } = await openPdf({ title, at, margin });
  pdf.font('bold').fontSize(16).text(title).moveDown(0.5);
  pdf.font('plain').fontSize(9);
  for (const line of seller) pdf.text(line);
  if (seller.length > 0) pdf.moveDown();
  for (const [name, value] of facts) pdf.text(`${name}: ${value}`);
  for (const table of tables) drawTable(pdf, table);
  return finish((page, count) =>
    pdf
      .font('plain')
      .fontSize(7.5)
      .text(`${page} / ${count}`, margin, bottom + 20, { width: 495, align: 'right' }),
  );
}

function drawTable(pdf: Pdf, { title, columns, rows }: PdfTable): void {
  if (pdf.y > bottom - 80) pdf.addPage();
  pdf.moveDown().font('bold').fontSize(11).text(title, margin).moveDown(0.3).fontSize(7.5);
  const titles = columns.map((column) => column.title);
  drawRow(pdf, columns, titles);
  for (const row of rows) {
    pdf.font('plain').fontSize(7.5);
    if (pdf.y + heightOf(pdf, columns, row) > bottom) {
      pdf.addPage();
      pdf.font('bold');
      drawRow(pdf, columns, titles);
      pdf.font('plain');
    }
    drawRow(pdf, columns, row);
  }
}

const padding = 4;

const heightOf = (pdf: Pdf, columns: readonly TableColumn[], row: readonly string[]): number =>
  Math.max(...columns.map(({ width }, index) => pdf.heightOfString(row[index] ?? '', { width: width - padding })));

function drawRow(pdf: Pdf, columns: readonly TableColumn[], row: readonly string[]): void {
  const { y } = pdf;
  const height = heightOf(pdf, columns, row);
  let x = margin;
  columns.forEach(({ width, align = 'left' }, index) => {
    pdf.text(row[index] ?? '', x, y, { width: width - padding, align });
    x += width;
  });
  pdf
    .moveTo(margin, y + height + 1)
    .lineTo(x, y + height + 1)
    .lineWidth(0.3)
    .strokeColor('#bbbbbb')
    .stroke();
  pdf.x = margin;
  pdf.y = y + height + 3;
}
