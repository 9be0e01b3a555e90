/** What relays the calls: the embedded engine, a bare forwarder, rtpengine, or nobody. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rtpengine } from '../../src/engines/media/rtpengine/rtpengine.ts';
import { machineTimers } from '../../src/engines/sip/timers.ts';
import { exchange, freePort } from '../../test/support/datagrams.ts';
import { startChild } from './child.ts';
import { joinCalls, type OpenCalls } from './described-calls.ts';
import type { CallPorts, FromRelay, ToRelay } from './messages.ts';

export interface Relay {
  readonly name: string;
  readonly pid: number;
  /** In place of all calls before; returns where each party sends to. */
  join(calls: readonly CallPorts[]): Promise<readonly CallPorts[]>;
  stop(): Promise<void>;
}

export const startEmbedded = (threads: number): Relay => relayOf('the embedded relay', 'media-relay.ts', threads);

export const startForwarder = (): Relay => relayOf('a bare forwarder', 'media-forwarder.ts');

function relayOf(name: string, file: string, ...options: number[]): Relay {
  const child = startChild<ToRelay, FromRelay>(file, ...options.map(String));
  return {
    name,
    pid: child.pid,
    join: async (calls) => {
      await child.ask({ kind: 'close' });
      const answer = await child.ask({ kind: 'join', calls });
      if (answer.kind !== 'joined') throw new Error(`${name} has answered ${answer.kind}`);
      return answer.calls;
    },
    stop: () => child.stop(),
  };
}

/** Without its kernel module; null where it is not installed. */
export async function startRtpengine(threads: number): Promise<Relay | null> {
  const port = await freePort();
  const program = spawn(
    'rtpengine',
    [
      ...['--table=-1', '--foreground', '--log-level=3', '--config-file=none', `--num-threads=${threads}`],
      ...['--interface=127.0.0.1', `--listen-ng=127.0.0.1:${port}`, '--port-min=32000', '--port-max=39999'],
    ],
    { stdio: 'ignore' },
  );
  const isThere = await once(program, 'spawn').then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  const exited = once(program, 'exit');
  const stop = async () => {
    program.kill('SIGKILL');
    await exited;
  };
  while (!(await exchange(port, 'cookie d7:command4:pinge'))?.includes('pong')) {
    if (program.exitCode !== null) throw new Error('rtpengine does not start');
  }
  const engine = await rtpengine({ hosts: [{ host: '127.0.0.1', port }], timers: machineTimers });
  let open: OpenCalls | null = null;
  return {
    name: 'rtpengine in user space',
    pid: program.pid ?? 0,
    join: async (calls) => {
      await open?.close();
      open = await joinCalls(engine, calls);
      return open.ports;
    },
    stop: async () => {
      await engine.stop();
      await stop();
    },
  };
}
