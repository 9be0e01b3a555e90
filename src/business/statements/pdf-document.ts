/**
 * A4 pages with a title, facts and tables, made with pdfkit. DejaVu Sans is embedded (only the glyphs in use): it has
 * Latin, Greek, Cyrillic, Hebrew, Arabic and more, but no Chinese, Japanese or Korean; characters that it lacks are
 * drawn as boxes.
 */
import { createRequire } from 'node:module';

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
const require = createRequire(import.meta.url);
const fonts = { plain: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf' } as const;

export async function makePdf({ title, at, seller, facts, tables }: PdfText): Promise<Buffer> {
  const info = { Title: title, Creator: 'Trunkline', CreationDate: at, ModDate: at };
  // Loaded when the first file is made: commands and servers that make none start without it.
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({ size: 'A4', margin, bufferPages: true, info, lang: 'en' });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const finished = new Promise<void>((resolve, reject) => pdf.on('end', resolve).on('error', reject));
  for (const [name, file] of Object.entries(fonts))
    pdf.registerFont(name, require.resolve(`dejavu-fonts-ttf/ttf/${file}`));
  pdf.font('bold').fontSize(16).text(title).moveDown(0.5);
  pdf.font('plain').fontSize(9);
  for (const line of seller) pdf.text(line);
  if (seller.length > 0) pdf.moveDown();
  for (const [name, value] of facts) pdf.text(`${name}: ${value}`);
  for (const table of tables) drawTable(pdf, table);
  numberPages(pdf);
  pdf.end();
  await finished;
  return Buffer.concat(chunks);
}

function drawTable(pdf: PDFKit.PDFDocument, { title, columns, rows }: PdfTable): void {
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

const heightOf = (pdf: PDFKit.PDFDocument, columns: readonly TableColumn[], row: readonly string[]): number =>
  Math.max(...columns.map(({ width }, index) => pdf.heightOfString(row[index] ?? '', { width: width - padding })));

function drawRow(pdf: PDFKit.PDFDocument, columns: readonly TableColumn[], row: readonly string[]): void {
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

function numberPages(pdf: PDFKit.PDFDocument): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    pdf.switchToPage(page);
    // Below the margin, where text would otherwise begin a page of its own.
    pdf.page.margins.bottom = 0;
    pdf
      .font('plain')
      .fontSize(7.5)
      .text(`${page + 1} / ${count}`, margin, bottom + 20, { width: 495, align: 'right' });
  }
}
