/** The processor time of other processes: unlike a rate it stays the same while other programs run. */
import { readFile } from 'node:fs/promises';

/** Of Linux, in every configuration that is in use. */
const ticksPerSecond = 100;

/** Seconds of processor time that a process has used; null where there is no /proc. */
export async function processorSeconds(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name in parentheses may contain anything; user and system time are the 12th and 13th word behind it.
  const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(words[11]) + Number(words[12])) / ticksPerSecond;
}
