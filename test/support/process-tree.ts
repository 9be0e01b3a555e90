/** Signals to a process and its children together, parents first, so that none is made meanwhile. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the ends of those that are killed. Null, or a process that is gone, is left alone. */
export async function signalTree(pid: number | null, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  if (pid === null) return;
  // A stopped parent makes no children between the list and the signals.
  if (signal !== 'SIGCONT') send(pid, 'SIGSTOP');
  const all = [pid, ...(await childrenOf(pid))];
  for (const one of all) send(one, signal);
  while (signal === 'SIGKILL' && (await Promise.all(all.map(isRunning))).includes(true)) await sleep(10);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').flatMap((word) => (word.trim() === '' ? [] : [Number(word)]));
}

/** Not one that has ended and whose parent has not asked for its end yet. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) [ZX] /.test(status);
}
