/** What commands print: tables, times, and the progress of long work. */
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

/** Reports `done` of `of`, in any unit. */
type Progress = (label: string, done: number, of: number) => void;

interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

const barWidth = 30;

export function showProgress(output: Output = process.stderr): Progress {
  return output.isTTY ? bar(output) : lines(output);
}

function bar(output: Output): Progress {
  let shown = '';
  return (label, done, of) => {
    const share = of === 0 ? 1 : Math.min(1, done / of);
    const filled = Math.round(share * barWidth);
    const text = `${label} [${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${Math.floor(share * 100)} %`;
    if (text === shown) return;
    shown = text;
    output.write(`\r\x1b[K${text}${share === 1 ? '\n' : ''}`);
  };
}

function lines(output: Output): Progress {
  const reached = new Map<string, number>();
  return (label, done, of) => {
    const tenth = of === 0 ? 10 : Math.floor((done * 10) / of);
    if (tenth <= (reached.get(label) ?? 0)) return;
    reached.set(label, tenth);
    output.write(`${label}: ${tenth * 10} %\n`);
  };
}
