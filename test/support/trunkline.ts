/** The program itself, as a process: what a person or a script has in front of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Trunkline {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Once every port answers; an error when the process ends before. */
  ready(): Promise<Ready>;
  /** The exit code, or the signal that ended it. */
  ended(): Promise<number | string>;
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}

interface Ready {
  pid: number;
  environments: Partial<
    Record<'production' | 'sandbox', { url: string; operator_url?: string; sip?: { udp: number } }>
  >;
}

const root = path.resolve(import.meta.dirname, '../..');

/** Lines of processes that have ended. */
const faults: string[] = [];
const isFault = (line: string): boolean => line.includes('nobody handled it');

/** What the processes of a test have logged of errors that nobody handled; no-faults.ts fails the suite on any. */
export const takeFaults = (): string[] => faults.splice(0);
const clone = [process.execPath, path.join(root, 'bin/trunkline.cjs')];

/**
 * `folder` holds what the process makes: the data folder and the ready file, unless `variables` say otherwise.
 * `command` is how the program is called.
 */
export function startTrunkline(
  folder: string,
  variables: Record<string, string> = {},
  words = ['serve'],
  command: readonly string[] = clone,
): Trunkline {
  const readyFile = variables.TRUNKLINE_READY_FILE ?? path.join(folder, 'ready.json');
  const [program = '', ...before] = command;
  const child = spawn(program, [...before, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // As bin/launch.cjs sets it; for an older version, too.
      NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/trunkline'),
      TRUNKLINE_DATA: path.join(folder, 'data'),
      TRUNKLINE_PORT: '0',
      TRUNKLINE_SANDBOX_PORT: '0',
      // No test waits for an order, but for those that are about waiting.
      TRUNKLINE_SANDBOX_ORDER_SECONDS: '0',
      // Nearly no test uploads a file, and every new server makes four keys.
      TRUNKLINE_FILE_KEY_BITS: '2048',
      TRUNKLINE_READY_FILE: readyFile,
      ...variables,
    },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.once('close', () => faults.push(...output.stdout.split('\n').filter(isFault)));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended: () => ended,
    ready: () => waitForReadyFile(child, readyFile, () => output.stderr),
    stop: async (signal = 'SIGTERM') => {
      if (isRunning(child)) child.kill(signal);
      return ended;
    },
  };
}

/** Waits until the process has written its ready file; throws if it ends before. */
export async function waitForReadyFile(child: ChildProcess, readyFile: string, stderr: () => string): Promise<Ready> {
  for (;;) {
    const text = await readFile(readyFile, 'utf8').catch(() => null);
    const ready = text === null ? null : JSON.parse(text);
    if (ready?.pid === child.pid) return ready;
    if (!isRunning(child)) throw new Error(`trunkline ended with ${child.exitCode ?? child.signalCode}: ${stderr()}`);
    await sleep(20);
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
