/** Debian's linphonec as a real phone without a sound card: it plays a file and listens to nobody. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { stopGently } from './stop-gently.ts';

interface Linphone {
  said(): string;
  /** A line as a person types it, such as `answer` or `pause`. */
  type(command: string): void;
  stop(): Promise<void>;
}

/** Starts it with a local SIP port of its own choice. */
export async function startLinphone(): Promise<Linphone> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-linphone-'));
  const file = path.join(folder, 'linphonerc');
  await writeFile(file, configuration);
  // Its database of chats, without which it complains.
  await mkdir(path.join(folder, '.local/share/linphone'), { recursive: true });
  const env = { ...process.env, HOME: folder };
  const child = spawn('linphonec', ['-c', file], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      said += bytes;
    });
  }
  return {
    said: () => said,
    type: (command) => void child.stdin.write(`${command}\n`),
    stop: async () => {
      child.stdin.write('quit\n');
      await stopGently(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ports of -1 are chosen by the system. Files stand for the sound card. */
const configuration = `
[sip]
sip_port=-1
sip_tcp_port=-2
sip_tls_port=-2
use_ipv6=0
default_proxy=-1

[net]
firewall_policy=0

[rtp]
audio_rtp_port=-1

[sound]
use_files=1

[video]
enabled=0
capture=0
display=0
`;
