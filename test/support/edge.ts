/**
 * A real Kamailio edge on loopback, with a configuration as `trunkline edge config` writes it; and a real rtpengine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { type EdgeSettings, exampleEdge } from '../../src/business/edge/edge-settings.ts';
import { edgeFiles } from '../../src/business/edge/kamailio-config.ts';
import { exchange, freePort } from './datagrams.ts';

export interface Edge {
  port: number;
  stop(): Promise<void>;
}

/** Returns once it answers. */
export async function startEdge(settings: Partial<EdgeSettings>): Promise<Edge> {
  const port = await freePort();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-edge-'));
  const files = edgeFiles({
    ...exampleEdge,
    children: 1,
    folder,
    ...settings,
    listen: [`udp:127.0.0.1:${port}`, `tcp:127.0.0.1:${port}`],
  });
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
  const place = ['-w', folder, '-Y', folder, '-P', path.join(folder, 'kamailio.pid')];
  // In the foreground with its children, in a process group of its own.
  const process = start('kamailio', [
    '-DD',
    '-E',
    '-m',
    '64',
    '-M',
    '8',
    ...place,
    '-f',
    path.join(folder, 'kamailio.cfg'),
  ]);
  const stop = async () => {
    await end(process, 'SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(() => answersOptions(port));
  } catch (error) {
    await stop();
    throw new Error(`Kamailio did not start: ${process.output.join('')}`, { cause: error });
  }
  return { port, stop };
}

interface Rtpengine {
  /** Where it takes commands, for a Kamailio. */
  control: string;
  /** The same as a port of loopback. */
  port: number;
  stop(): Promise<void>;
  /** Without a chance to say goodbye. */
  kill(): Promise<void>;
  /** How many calls it knows. */
  calls(): Promise<number>;
}

/** Without its kernel module, at this port for commands or any free one; its media have these addresses. */
export async function startRtpengine(chosen?: number, addresses = ['127.0.0.1']): Promise<Rtpengine> {
  const port = chosen ?? (await freePort());
  const first = 20_000 + (port % 300) * 100;
  const ports = ['--port-min', String(first), '--port-max', String(first + 99)];
  const process = start('rtpengine', [
    ...['--table=-1', '--foreground', '--log-stderr', `--listen-ng=127.0.0.1:${port}`],
    ...addresses.map((address) => `--interface=${address}`),
    // That of the Debian package opens further ports, which are the same for everybody.
    ...['--config-file=none', '--endpoint-learning=immediate', ...ports],
  ]);
  const stop = () => end(process, 'SIGTERM');
  try {
    await until(() => answersPing(port));
  } catch (error) {
    await stop();
    throw new Error(`rtpengine did not start: ${process.output.join('')}`, { cause: error });
  }
  return {
    control: `udp:127.0.0.1:${port}`,
    port,
    stop,
    kill: () => end(process, 'SIGKILL'),
    calls: () => callsAt(port),
  };
}

type Started = ChildProcess & { output: string[] };

function start(program: string, args: string[]): Started {
  const output: string[] = [];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(String(bytes)));
  child.on('error', (error) => output.push(error.message));
  return Object.assign(child, { output });
}

async function end(child: Started, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  process.kill(-child.pid, signal);
  const patience = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), 60_000);
  await exited;
  clearTimeout(patience);
}

/** `expect.poll` would do for tests only, and not for what is opened before them. */
async function until(check: () => Promise<boolean>): Promise<void> {
  const demand = async () => {
    if (!(await check())) throw new Error('no answer yet');
  };
  await vi.waitFor(demand, { timeout: 120_000, interval: 50 });
}

let asked = 0;

async function answersOptions(port: number): Promise<boolean> {
  asked += 1;
  const request = [
    `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bKready${asked};rport`,
    'From: <sip:test@127.0.0.1>;tag=1',
    'To: <sip:127.0.0.1>',
    `Call-ID: ready-${asked}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0',
  ];
  return (await exchange(port, `${request.join('\r\n')}\r\n\r\n`))?.startsWith('SIP/2.0 200') ?? false;
}

async function callsAt(port: number): Promise<number> {
  // It answers a cookie that it knows as it did before.
  asked += 1;
  const answer = await exchange(port, `statistics${asked} d7:command10:statisticse`, 60_000);
  const [, count] = /11:sessionsowni(\d+)e/.exec(answer ?? '') ?? [];
  if (count === undefined) throw new Error(`rtpengine says ${answer}`);
  return Number(count);
}

const answersPing = async (port: number): Promise<boolean> =>
  (await exchange(port, 'cookie d7:command4:pinge'))?.includes('pong') ?? false;
