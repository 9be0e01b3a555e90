/** Runs a simulation in a Node process of its own (run.ts). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Outcome } from './simulation.ts';

export interface Run {
  readonly server: string;
  readonly template: string;
  readonly seed: number;
  readonly minutes: number;
  /** The name of a fault to bring back. */
  readonly oldFault: string | null;
  readonly isWatched: boolean;
}

export async function runSimulation(run: Run): Promise<Outcome> {
  const program = path.join(import.meta.dirname, 'run.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(run)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the simulation of seed ${run.seed} ended with ${code}`);
  return JSON.parse(printed);
}
