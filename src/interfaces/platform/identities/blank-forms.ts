/**
 * Downloads of blank forms, without authentication: each supporting document template is written as a PDF of one A4
 * page, with a title and a ruled line under each question.
 */
import type { FastifyInstance } from 'fastify';
import { isStorable } from '../../../base/incoming-json.ts';
import type { Environment } from '../../../engines/environment.ts';

export const formPath = '/storage/public/';

export function registerForms(app: FastifyInstance, env: Environment): void {
  app.get<{ Params: { key: string } }>(`${formPath}:key`, async (request, reply) => {
    const { key } = request.params;
    const form = isStorable(key) ? await findForm(env, key) : undefined;
    if (!form) return reply.code(404).send({ error: 'Not found' });
    const fileName = form.name.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase();
    return reply
      .header('content-type', 'application/pdf')
      .header('content-disposition', `inline; filename="${fileName}.pdf"`)
      .header('cache-control', 'public, max-age=3600')
      .header('x-content-type-options', 'nosniff')
      .send(blankForm(form.name, form.form_lines));
  });
}

const findForm = (env: Environment, key: string) =>
  env.db
    .selectFrom('supporting_document_templates')
    .select(['name', 'form_lines'])
    .where('storage_key', '=', key)
    .executeTakeFirst();

const pageSize = { width: 595, height: 842, margin: 60 };
const maxCharacters = 85;

function blankForm(title: string, lines: readonly string[]): Buffer {
  const content = pageContent(title, lines);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageSize.width} ${pageSize.height}] /Contents 6 0 R ` +
      '/Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Title (${escaped(title)}) /Producer (Trunkline) >>`,
  ];
  return assemble(objects);
}

function pageContent(title: string, lines: readonly string[]): string {
  const { margin, width, height } = pageSize;
  const parts = [textAt('F2', 18, margin, height - 90, title)];
  let y = height - 140;
  for (const line of lines) {
    for (const row of wrapped(line)) {
      parts.push(textAt('F1', 11, margin, y, row));
      y -= 15;
    }
    y -= 20;
    parts.push(`0.5 w ${margin} ${y} m ${width - margin} ${y} l S`);
    y -= 30;
  }
  return parts.join('\n');
}

const textAt = (font: string, size: number, x: number, y: number, text: string): string =>
  `BT /${font} ${size} Tf ${x} ${y} Td (${escaped(text)}) Tj ET`;

function wrapped(text: string): string[] {
  const rows = [''];
  for (const word of text.split(' ')) {
    const row = rows.at(-1) ?? '';
    if (row.length + word.length + 1 > maxCharacters) rows.push(word);
    else rows[rows.length - 1] = row === '' ? word : `${row} ${word}`;
  }
  return rows;
}

/** Escapes three characters of PDF strings. The font has only Latin-1, so other characters become `?`. */
function escaped(text: string): string {
  return text
    .replaceAll('’', "'")
    .replace(/[\\()]/g, (character) => `\\${character}`)
    .replace(/[^\u0020-\u00ff]/g, '?');
}

/** Joins the objects and appends the table with the position of each. */
function assemble(objects: readonly string[]): Buffer {
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>`;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n${trailer}\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + end, 'latin1');
}
