/**
 * Loaded into a served process before the program itself: at SIGUSR2 it writes to `LOOP_DELAY_FILE` how long the event
 * loop was held at most since the last time, in milliseconds.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const file = process.env.LOOP_DELAY_FILE ?? '';
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
if (file !== '') {
  delay.enable();
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify({ longest: delay.max / 1e6 - resolutionMs, p99: delay.percentile(99) / 1e6 }));
    delay.reset();
  });
}
