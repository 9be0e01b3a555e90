/**
 * sipp as caller and as called side: each run plays one of the scenarios of test/sip/scenarios against a port of
 * loopback.
 */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const scenarios = path.resolve(import.meta.dirname, '../sip/scenarios');

export interface SippOptions {
  /** The server that a caller calls. */
  server?: number;
  /** The called number. */
  number?: string;
  /** Variables of the scenario. */
  set?: Record<string, string>;
  credentials?: { username: string; password: string };
  /** What digest is made for, without its scheme; the server's address when absent. */
  authUri?: string;
  transport?: 'UDP' | 'TCP';
  host?: string;
  calls?: number;
  /** What it plays: a file of this name and content. */
  file?: { name: string; content: Uint8Array };
}

export interface SippRun {
  readonly port: number;
  /** Resolves when all its calls have gone as the scenario says; rejects with what went wrong. */
  finished(): Promise<void>;
  stop(): void;
}

/** How long a scenario may take; only reached when it fails. */
const mostSeconds = 40;
const mostTries = 10;

/** Returns once the port is open; for a caller that is also when it begins to call. */
export async function startSipp(scenario: string, options: SippOptions = {}): Promise<SippRun> {
  for (let tries = 1; ; tries++) {
    const started = await tryToStart(scenario, options);
    if (started !== null) return started;
    if (tries === mostTries) throw new Error(`sipp ${scenario} found no free port`);
  }
}

/** Null if another program took the port before sipp did. */
async function tryToStart(scenario: string, options: SippOptions): Promise<SippRun | null> {
  const { server, transport = 'UDP', host = '127.0.0.1', calls = 1 } = options;
  const port = await freePort(host);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-sipp-'));
  if (options.file) await writeFile(path.join(folder, options.file.name), options.file.content);
  const words = [
    ...(server === undefined ? [] : [`${host.includes(':') ? `[${host}]` : host}:${server}`]),
    ...['-sf', path.join(scenarios, `${scenario}.xml`), '-i', host, '-p', String(port), '-m', String(calls)],
    ...['-t', transport === 'TCP' ? 't1' : 'u1', '-nostdin', '-trace_err'],
    ...['-timeout', `${mostSeconds}s`, '-timeout_error'],
    ...(options.number === undefined ? [] : ['-s', options.number]),
    ...Object.entries(options.set ?? {}).flatMap(([name, value]) => ['-set', name, value]),
    ...(options.credentials ? ['-au', options.credentials.username, '-ap', options.credentials.password] : []),
    ...(options.authUri === undefined ? [] : ['-auth_uri', options.authUri]),
  ];
  const env = { ...process.env, TERM: 'dumb' };
  const child = spawn('sipp', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env });
  let errors = '';
  child.stderr.on('data', (bytes) => {
    errors += String(bytes);
  });
  const ended = once(child, 'close').then(async ([code]) => {
    const text = code === 0 ? '' : await writtenErrors(folder);
    await rm(folder, { recursive: true, force: true });
    if (code !== 0) throw new Error(`sipp ${scenario} ended with ${code}: ${errors}\n${text}`);
  });
  // Whoever waits for it hears of a failure.
  ended.catch(() => undefined);
  while (child.exitCode === null && !(await isOpen(port, transport))) await sleep(10);
  if (child.exitCode === 254 && (await ended.catch(String))?.includes('Unable to bind')) return null;
  return { finished: () => ended, port, stop: () => void child.kill('SIGKILL') };
}

/** The file in which sipp says which message it did not expect. */
async function writtenErrors(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('_errors.log'));
  return (await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')))).join('\n').slice(0, 4_000);
}

async function freePort(host: string): Promise<number> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').bind(0, host);
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

/** Read from the system's list: to bind the port for a look would take it away from sipp. */
async function isOpen(port: number, transport: 'UDP' | 'TCP'): Promise<boolean> {
  const kind = transport.toLowerCase();
  const lists = [`/proc/net/${kind}`, `/proc/net/${kind}6`].map((file) => readFile(file, 'utf8').catch(() => ''));
  const local = new RegExp(`^ *\\d+: [0-9A-F]+:${port.toString(16).toUpperCase().padStart(4, '0')} `, 'm');
  return (await Promise.all(lists)).some((list) => local.test(list));
}
