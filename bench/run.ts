/**
 * `npm run bench [name …]`: measures ratios, prints them as a table and writes it to bench/results.md; adds a line for
 * each bench to bench/history.jsonl.
 */
import { execFileSync } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { baseline } from './baseline.ts';
import { engine } from './engine.ts';
import { fair } from './fair.ts';
import { growth } from './growth.ts';
import { lists } from './lists.ts';
import { media } from './media.ts';
import { operator } from './operator.ts';
import { orders } from './orders.ts';
import { overload } from './overload.ts';
import { panel } from './panel.ts';
import { type Bench, holds, type Row } from './row.ts';
import { sandboxLoad } from './sandbox-load.ts';
import { scaleOut } from './scale-out.ts';
import { sip } from './sip.ts';
import { start } from './start.ts';
import { verification } from './verification.ts';
import { versions } from './versions.ts';
import { voice } from './voice.ts';
import { week } from './week.ts';
import { wire } from './wire.ts';
import { worlds } from './worlds.ts';

const benches: readonly Bench[] = [
  engine,
  wire,
  baseline,
  growth,
  lists,
  start,
  scaleOut,
  orders,
  voice,
  sip,
  media,
  verification,
  overload,
  fair,
  operator,
  panel,
  versions,
  worlds,
  sandboxLoad,
  week,
];
const results = path.join(import.meta.dirname, 'results.md');
const history = path.join(import.meta.dirname, 'history.jsonl');

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no bench called ${unknown.join(', ')}; there are ${benches.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(1);
}

let missed = 0;
for (const bench of benches.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  process.stdout.write(`\n${bench.name}\n`);
  const started = performance.now();
  const rows = await bench.run((text) => process.stdout.write(`  ${seconds(started)} s: ${text}\n`));
  process.stdout.write(`${seconds(started)} s\n`);
  missed += rows.filter((row) => !holds(row)).length;
  const table = tableOf(rows);
  process.stdout.write(`${table}\n`);
  // Read again each time: another run may have written meanwhile.
  const sections = await readSections();
  sections.set(bench.name, table);
  await writeFile(results, documentOf(sections));
  await appendFile(history, `${JSON.stringify(historyOf(bench, rows))}\n`);
}
process.exitCode = missed > 0 ? 1 : 0;

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

/** What was measured, where, and of which commit; `+` marks a worktree with changes. */
function historyOf(bench: Bench, rows: readonly Row[]): object {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', '../src') !== '';
  return {
    bench: bench.name,
    at: new Date().toISOString(),
    commit: `${git('rev-parse', '--short', 'HEAD')}${isChanged ? '+' : ''}`,
    machine: {
      cores: os.cpus().length,
      arch: os.arch(),
      model: os.cpus()[0]?.model,
      memoryMiB: Math.round(os.totalmem() / 1_048_576),
    },
    rows: rows.map(({ measure, ratio, note }) => ({ measure, ratio: Number(ratio.toFixed(3)), note })),
  };
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const required = 'atLeast' in row.required ? `≥ ${row.required.atLeast}` : `≤ ${row.required.atMost}`;
    return `| ${row.measure} | ${row.ratio.toFixed(2)} | ${required} | ${holds(row) ? 'yes' : 'NO'} | ${row.note} |`;
  });
  return ['| Measure | Ratio | Required | Holds | Numbers |', '|---|---|---|---|---|', ...lines].join('\n');
}

function documentOf(all: ReadonlyMap<string, string>): string {
  const head = `# Benchmark results

Ratios, each measured side by side in one run by \`npm run bench\`. The numbers behind them are of one machine (${os.cpus().length} cores, ${os.arch()}).
`;
  return `${[head, ...[...all].map(([name, table]) => `## ${name}\n\n${table}\n`)].join('\n')}`;
}

/** A run of some benches keeps the results of the others. */
async function readSections(): Promise<Map<string, string>> {
  const text = await readFile(results, 'utf8').catch(() => '');
  const parts = text.split(/^## (.+)$/m).slice(1);
  const found = new Map<string, string>();
  for (let i = 0; i < parts.length; i += 2) found.set(parts[i] ?? '', (parts[i + 1] ?? '').trim());
  return found;
}
