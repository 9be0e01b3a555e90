/** Lines of CSV files that spreadsheets open safely. */

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`;

/** A text that a spreadsheet would take for a formula gets an apostrophe before it; a number stays as it is. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text =
    value instanceof Date ? value.toISOString() : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
