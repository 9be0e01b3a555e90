/**
 * Makes an RSA key pair in a process of its own. That takes seconds and cannot be interrupted: in this process it would
 * keep the threads on which files are written and names resolved, and hold up the end of the process itself.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface KeyPair {
  /** SPKI, PEM. */
  publicKey: string;
  /** PKCS #8, PEM. */
  privateKey: string;
}

const program = fileURLToPath(new URL('./generate-key-pair.process.ts', import.meta.url));

export async function generateKeyPair(bits: number): Promise<KeyPair> {
  const child = spawn(process.execPath, [program, String(bits)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    const output = await Promise.race([text(child.stdout), failed]);
    if (output === '') throw new Error('no key pair was made');
    const { publicKey, privateKey }: KeyPair = JSON.parse(output);
    return { publicKey, privateKey };
  } finally {
    process.off('exit', kill);
  }
}
