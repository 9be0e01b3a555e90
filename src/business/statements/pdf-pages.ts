/**
 * A PDF file, page by page, made with pdfkit. DejaVu Sans is embedded (only the glyphs in use): it has Latin, Greek,
 * Cyrillic, Hebrew, Arabic and more, but no Chinese, Japanese or Korean; characters that it lacks are drawn as boxes.
 */
import { createRequire } from 'node:module';

export type Pdf = PDFKit.PDFDocument;

interface NewPdf {
  title: string;
  /** When it was made, for the file's own dates. */
  at: Date;
  margin: number;
}

interface OpenPdf {
  pdf: Pdf;
  /** Draws below the margin of every page, and returns the file. */
  finish(draw: (page: number, count: number) => void): Promise<Buffer>;
}

const require = createRequire(import.meta.url);
const fonts = { plain: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf' } as const;

export async function openPdf({ title, at, margin }: NewPdf): Promise<OpenPdf> {
  const info = { Title: title, Creator: 'Trunkline', CreationDate: at, ModDate: at };
  // Loaded when the first file is made: commands and servers that make none start without it.
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({ size: 'A4', margin, bufferPages: true, info, lang: 'en' });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const finished = new Promise<void>((resolve, reject) => pdf.on('end', resolve).on('error', reject));
  for (const [name, file] of Object.entries(fonts)) {
    pdf.registerFont(name, require.resolve(`dejavu-fonts-ttf/ttf/${file}`));
  }
  const finish = async (draw: (page: number, count: number) => void) => {
    const { start, count } = pdf.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      pdf.switchToPage(page);
      // Below the margin, where text would otherwise begin a page of its own.
      pdf.page.margins.bottom = 0;
      draw(page + 1, count);
    }
    pdf.end();
    await finished;
    return Buffer.concat(chunks);
  };
  return { pdf, finish };
}
