/** Debian's baresip as a real phone without a sound card: it decodes what it hears, records it and says it back. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { readWav } from '../../src/engines/speech/wav.ts';
import { stopGently } from './stop-gently.ts';

interface Baresip {
  /** Where it takes calls, by UDP. */
  readonly port: number;
  said(): string;
  /** The WAV file of what it has heard in its first call, once that has ended. */
  heard(): Promise<Int16Array>;
  /** What a person does: `hold`, `resume`, `hangup`. */
  press(command: string): Promise<void>;
  stop(): Promise<void>;
}

/** `account` is a line of its file of accounts. */
export async function startBaresip(account: string): Promise<Baresip> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-baresip-'));
  await writeFile(path.join(folder, 'accounts'), `${account}\n`);
  const control = await freePort();
  const port = await freePort();
  await writeFile(path.join(folder, 'config'), configuration(port, control, folder));
  // Its input stays open: at its end baresip would stop.
  const child = spawn('baresip', ['-f', folder, '-4', '-v'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      said += bytes;
    });
  }
  return {
    port,
    said: () => said,
    heard: async () => {
      const file = (await readdir(folder)).find((name) => name.endsWith('-dec.wav'));
      if (file === undefined) throw new Error(`baresip has recorded nothing: ${said}`);
      return readWav(await readFile(path.join(folder, file)));
    },
    press: (command) => send(control, command),
    stop: async () => {
      await stopGently(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Its control port takes JSON as netstrings, one connection at a time. */
async function send(port: number, command: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const text = JSON.stringify({ command });
  socket.write(`${text.length}:${text},`);
  await once(socket, 'data');
  socket.destroy();
}

/** Below the ports that systems give to clients: baresip opens it for UDP and TCP, and only a moment later. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    if ((await isFreeForTcp(port)) && (await isFreeForUdp(port))) return port;
  }
}

async function isFreeForTcp(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isFree) await once(server.close(), 'close');
  return isFree;
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  const isFree = await once(socket, 'listening').then(
    () => true,
    () => false,
  );
  if (isFree) await once(socket.close(), 'close');
  return isFree;
}

/**
 * The bridge connects what is played with what is captured. Every packet is decoded and written to a file as it
 * arrives: a jitter buffer would leave out what came late.
 */
const configuration = (port: number, control: number, folder: string): string => `
ctrl_tcp_listen 127.0.0.1:${control}
sip_listen 127.0.0.1:${port}
snd_path ${folder}
jitter_buffer_delay 0-0
audio_source aubridge,echo
audio_player aubridge,echo
audio_alert aubridge,alert
ausrc_srate 8000
auplay_srate 8000
ausrc_channels 1
auplay_channels 1
module_path /usr/lib/baresip/modules
module stdio.so
module g711.so
module aubridge.so
module sndfile.so
module srtp.so
module dtls_srtp.so
module_tmp account.so
module_app menu.so
module_app ctrl_tcp.so
`;
