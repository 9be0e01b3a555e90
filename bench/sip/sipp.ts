/** sipp as the carrier and as the customer's PBX: places calls at a rate, and counts what became of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../test/support/datagrams.ts';
import { calleeScenario, callerScenario } from './scenarios.ts';

/** A sipp that answers every call. */
interface Callee {
  port: number;
  stop(): Promise<void>;
}

export async function startCallee(): Promise<Callee> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-sipp-'));
  const port = await freePort();
  const sipp = await startSipp(folder, calleeScenario, ['-p', String(port)]);
  return {
    port,
    stop: async () => {
      sipp.child.kill('SIGKILL');
      await sipp.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Load {
  /** Where the calls go. */
  port: number;
  numbers: readonly string[];
  rate: number;
  calls: number;
  /** From the answer to the BYE. */
  talkMs: number;
  /** Calls that may be up at a time: a closed loop, whatever the rate; no bound if absent. */
  atOnce?: number;
}

/** What became of the calls of one load, as their caller saw it. */
export interface Outcome {
  calls: number;
  /** Answered, and ended with a BYE that was answered. */
  complete: number;
  /** Refused with 503. */
  refused: number;
  failed: number;
  /** Messages that had to be sent again, by either side of the caller. */
  retransmissions: number;
  /** Answered calls that took so long from the INVITE to the 200, in milliseconds. */
  answeredAfterMs: number;
}

/** Returns when every call has ended. */
export async function placeCalls({ port, numbers, rate, calls, talkMs, atOnce = 100_000 }: Load): Promise<Outcome> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-sipp-'));
  try {
    await writeFile(
      path.join(folder, 'numbers.csv'),
      ['SEQUENTIAL', ...numbers.map((number) => `${number};`), ''].join('\n'),
    );
    const { exited } = await startSipp(folder, callerScenario, [
      `127.0.0.1:${port}`,
      ...['-r', String(rate), '-m', String(calls), '-l', String(atOnce), '-d', String(talkMs)],
      ...['-inf', path.join(folder, 'numbers.csv'), '-recv_timeout', '20000'],
      // A message that was sent again has decided the matter; nobody waits for the rest of its thirty seconds.
      ...['-max_invite_retrans', '3', '-max_non_invite_retrans', '3'],
      ...['-trace_stat', '-fd', '1', '-stf', path.join(folder, 'statistics.csv')],
    ]);
    await exited;
    return outcomeOf(await readFile(path.join(folder, 'statistics.csv'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Sipp {
  child: ChildProcess;
  exited: Promise<unknown>;
}

async function startSipp(folder: string, scenario: string, args: readonly string[]): Promise<Sipp> {
  const file = path.join(folder, 'scenario.xml');
  await writeFile(file, scenario);
  const child = spawn('sipp', ['-sf', file, '-i', '127.0.0.1', '-nostdin', '-nd', '-buff_size', '4194304', ...args], {
    cwd: folder,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await once(child, 'spawn');
  return { child, exited };
}

/** The last line of the statistics has the cumulated counters. */
function outcomeOf(statistics: string): Outcome {
  const [head = '', ...lines] = statistics.trim().split('\n');
  const values = (lines.at(-1) ?? '').split(';');
  const column = (name: string): string => {
    const index = head.split(';').indexOf(name);
    if (index < 0) throw new Error(`the statistics of sipp have no column ${name}: ${head}`);
    return values[index] ?? '';
  };
  const refused = Number(column('GenericCounter1(C)') || 0);
  return {
    calls: Number(column('TotalCallCreated')),
    complete: Number(column('SuccessfulCall(C)')) - refused,
    refused,
    failed: Number(column('FailedCall(C)')),
    retransmissions: Number(column('Retransmissions(C)')),
    answeredAfterMs: milliseconds(column('ResponseTime1(C)')),
  };
}

/** `00:00:00:052000` or `00:00:00.052000`. */
function milliseconds(time: string): number {
  const [hours = '0', minutes = '0', seconds = '0', micros = '0'] = time.split(/[:.]/);
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(micros) / 1000;
}
