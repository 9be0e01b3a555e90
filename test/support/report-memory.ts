/**
 * Loaded into a server under test (`NODE_OPTIONS=--import …`): at SIGUSR2 it collects garbage and writes how much
 * memory and how many files it holds.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

process.on('SIGUSR2', () => {
  // What finalisers release is collected the second time.
  for (let times = 0; times < 2; times++) if (typeof collect === 'function') collect();
  const { rss, heapUsed } = process.memoryUsage();
  const files = readdirSync('/proc/self/fd').length;
  writeFileSync(process.env.MEMORY_REPORT ?? '', JSON.stringify({ rss, heapUsed, files }));
});
