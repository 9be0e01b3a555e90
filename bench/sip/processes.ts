/** Processor time and memory of a process and its descendants, from /proc. */
import { readdir, readFile } from 'node:fs/promises';

interface Usage {
  cpuMs: number;
  residentMebibytes: number;
}

/** Linux counts processor time in hundredths of a second for every program. */
const tickMs = 10;

export async function usageOf(root: number): Promise<Usage> {
  const processes = await readProcesses();
  const members = new Set([root]);
  // A child may stand before its parent in the list.
  for (let size = 0; size !== members.size; ) {
    size = members.size;
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid);
  }
  const usage: Usage = { cpuMs: 0, residentMebibytes: 0 };
  for (const one of processes) {
    if (!members.has(one.pid)) continue;
    usage.cpuMs += one.ticks * tickMs;
    usage.residentMebibytes += one.pages / 256;
  }
  return usage;
}

interface Process {
  pid: number;
  parent: number;
  ticks: number;
  pages: number;
}

async function readProcesses(): Promise<Process[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(names.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => null)));
  return all.flatMap((text) => {
    if (text === null) return [];
    // The name in parentheses may contain anything; what follows it are numbers.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // With the time of children that have ended: a connection to PostgreSQL is a process.
    const number = (index: number): number => Number(fields[index] ?? 0);
    const ticks = number(11) + number(12) + number(13) + number(14);
    return [{ pid: Number.parseInt(text, 10), parent: number(1), ticks, pages: number(21) }];
  });
}
