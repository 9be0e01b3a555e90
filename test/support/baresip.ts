/** Debian's baresip as a real phone without a sound card: it decodes what it hears and says it back. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface Baresip {
  said(): string;
  stop(): Promise<void>;
}

/** `account` is a line of its file of accounts. */
export async function startBaresip(account: string): Promise<Baresip> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-baresip-'));
  await writeFile(path.join(folder, 'accounts'), `${account}\n`);
  await writeFile(path.join(folder, 'config'), configuration);
  // Its input stays open: at its end baresip would stop.
  const child = spawn('baresip', ['-f', folder, '-4', '-v'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      said += bytes;
    });
  }
  const exited = once(child, 'exit');
  return {
    said: () => said,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The bridge connects what is played with what is recorded. */
const configuration = `
sip_listen 127.0.0.1:0
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
module_tmp account.so
module_app menu.so
`;
