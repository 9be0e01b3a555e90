/**
 * Ends a program as a person does, so that a phone takes its registration back; one that does not end soon is killed.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const patienceMs = 60_000;

export async function stopGently(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(timer);
}
