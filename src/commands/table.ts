/** Formats rows as a table with aligned columns, or returns one sentence if there are none. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], none: string): string[] {
  if (rows.length === 0) return [none];
  const lines = [headings, ...rows];
  const widths = headings.map((_heading, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A time in UTC to the second, for comparison with a log. */
export function moment(at: Date | null): string {
  return at === null ? '' : at.toISOString().replace('T', ' ').slice(0, 19);
}
