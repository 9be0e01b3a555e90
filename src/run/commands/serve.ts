/** `serve`: runs the server until SIGTERM or SIGINT. */
import manifest from '../../../package.json' with { type: 'json' };
import { watchFaults } from '../../base/faults.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { bannerText } from '../boot/banner.ts';
import { createLog } from '../boot/log.ts';
import { StartStopped, serve } from '../boot/serve.ts';
import { listenForStop } from '../boot/stop-signals.ts';
import { startTracing } from '../boot/tracing.ts';
import { readConfig } from '../config/read-config.ts';
import { settings } from '../config/settings.ts';
import { defineCommand, type Option } from './command.ts';

const options = Object.fromEntries(
  settings.flatMap(({ flag, value, variable, fallback, meaning }): [string, Option][] =>
    flag === null
      ? []
      : [[flag, { type: 'string', value, summary: `${meaning} (${variable}${fallback ? `, ${fallback}` : ''})` }]],
  ),
);

const lingerMs = 500;

export const serveCommand = defineCommand({
  name: 'serve',
  json: false,
  summary: 'Run both environments: the HTTP interfaces and the jobs behind them.',
  options,
  notes: 'Each option stands for the variable in brackets and wins over it. docs/operations.md explains them.',
  run: async ({ values, out }) => {
    const config = readConfig(process.env, values);
    const log = createLog(config.logLevel, 'stdout');
    const sendLastSpans = await startTracing(config, manifest.version);
    const signals = listenForStop();
    const faults = watchFaults(log);
    // While it starts there is nothing yet that could be stopped in an orderly way.
    const isStarting = new AbortController();
    void faults.fatal.then(() => isStarting.signal.aborted || process.exit(1));
    const stopping = new AbortController();
    void signals.first.then(() => stopping.abort());
    const serving = await serve(config, log, {
      stopping: stopping.signal,
      say: out,
      beforeEnd: signals.beforeEnd,
      onLost: (error) => {
        log.fatal({ err: error }, 'the embedded database is gone');
        process.stderr.write(`The embedded database is gone and could not be started again: ${error.message}\n`);
        process.exit(1);
      },
    }).catch(async (error: unknown) => {
      if (!(error instanceof StartStopped)) throw error;
      log.info({ stopped_by: await signals.first }, 'stopped before the start was complete');
      return process.exit(0);
    });
    isStarting.abort();
    out(bannerText({ ...serving, seconds: performance.now() / 1000 }));
    const cause = await Promise.race([signals.first, faults.fatal]);
    const isFault = cause instanceof Error;
    log.info({ stopped_by: isFault ? 'an unhandled exception' : cause }, 'stopping');
    if (!isFault && config.drainSeconds > 0) {
      const limit = AbortSignal.timeout(config.drainSeconds * 1000);
      const broken = new AbortController();
      void faults.fatal.then(() => broken.abort());
      await signals.patiently((hurry) => serving.drain(AbortSignal.any([hurry, limit, broken.signal])));
    }
    await serving.stop();
    await sendLastSpans();
    log.info('stopped');
    // What still hangs (a connection to a server that does not answer) ends with the process.
    setTimeout(() => process.exit(), lingerMs).unref();
    if (isFault) throw new OperatorError('Trunkline has stopped after an error that nobody handled; the log has it.');
  },
});
