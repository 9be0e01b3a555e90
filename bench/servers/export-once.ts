/** Makes one export in a process of its own and tells how long it took and how much memory it had at most. */
import { pino } from 'pino';
import { openEnvironment } from '../../src/boot/environment.ts';
import { readConfig } from '../../src/config.ts';
import { writeFile } from '../../src/platform/exports/make-export.ts';

const [url = '', folder = '', exportId = '', accountId = '', from = '', to = ''] = process.argv.slice(2);
const { env, close } = await openEnvironment('sandbox', {
  config: readConfig({ TRUNKLINE_DATA: folder }),
  url,
  log: pino({ level: 'silent' }),
  serverKey: Buffer.alloc(32, 9),
});
const started = performance.now();
const { size } = await writeFile(env, exportId, 'cdr_in', accountId, { from, to });
const seconds = (performance.now() - started) / 1000;
process.send?.({ seconds, size, mebibytes: process.resourceUsage().maxRSS / 1024 });
await close();
process.disconnect?.();
