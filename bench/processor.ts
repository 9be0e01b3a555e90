/** The processor time of other processes: unlike a rate it stays the same while other programs run. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';

/** Of Linux, in every configuration that is in use. */
const ticksPerSecond = 100;

/** Seconds of processor time that a process has used; null where there is no /proc. */
export async function processorSeconds(pid: number): Promise<number | null> {
  const words = await statOf(pid);
  // User and system time are the 12th and 13th word behind the name.
  return words === null ? null : (Number(words[11]) + Number(words[12])) / ticksPerSecond;
}

/** The same for a process and all that it has started, those that have ended too. */
export async function familySeconds(pid: number): Promise<number> {
  const words = await statOf(pid);
  const ended = (Number(words?.[13] ?? 0) + Number(words?.[14] ?? 0)) / ticksPerSecond;
  const seconds = await Promise.all([pid, ...(await childrenOf(pid))].map(processorSeconds));
  return seconds.reduce<number>((sum, each) => sum + (each ?? 0), ended);
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** The words behind a process' name, which stands in parentheses and may contain anything. */
async function statOf(pid: number): Promise<string[] | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** The process of a PostgreSQL on this machine that has started all others. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const words = await statOf(rows[0]?.pid ?? 0);
  await client.end();
  return Number(words?.[1]);
}

/** Milliseconds that the first thread of a process has run, exactly; 0 once it has ended. */
async function ranMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '0');
  return Number(text.split(' ', 1)[0]) / 1e6;
}

/** The same for a process and all that it has started, such as a PostgreSQL and its connections. */
export async function familyRanMs(pid: number): Promise<number> {
  const all = await Promise.all([pid, ...(await childrenOf(pid))].map(ranMs));
  return all.reduce((sum, each) => sum + each, 0);
}
