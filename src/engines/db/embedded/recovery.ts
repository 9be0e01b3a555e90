/**
 * How far PostgreSQL is with its recovery: after a crash it may take minutes until it accepts connections, and says now
 * and then in its log what it has done.
 */
import { open } from 'node:fs/promises';

/** What /readyz shows while the embedded database recovers; null when it does not. */
export const embeddedRecovery: { progress: string | null } = { progress: null };

const readBytes = 16_384;
const progressLine = /LOG: {2}((?:syncing data directory|redo in progress|resetting unlogged relations)[^\n]*)/g;

export async function readProgress(log: string): Promise<string> {
  const file = await open(log).catch(() => null);
  if (file === null) return 'starting';
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(readBytes), 0, readBytes, Math.max(0, size - readBytes));
    const [...told] = buffer.toString('utf8', 0, bytesRead).matchAll(progressLine);
    return told.at(-1)?.[1] ?? 'starting';
  } finally {
    await file.close();
  }
}
