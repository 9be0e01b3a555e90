import { bannerText } from '../boot/banner.ts';
import { createLog } from '../boot/log.ts';
import { serve } from '../boot/serve.ts';
import { listenForStop } from '../boot/stop-signals.ts';
import { readConfig, settings } from '../config.ts';
import { defineCommand, type Option } from './command.ts';

const options = Object.fromEntries(
  settings.flatMap(({ flag, value, variable, fallback, meaning }): [string, Option][] =>
    flag === null
      ? []
      : [[flag, { type: 'string', value, summary: `${meaning} (${variable}${fallback ? `, ${fallback}` : ''})` }]],
  ),
);

/** Runs until SIGTERM or SIGINT. */
export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'Run both environments: the HTTP interfaces and the jobs behind them.',
  options,
  notes: 'Each option stands for the variable in brackets and wins over it. docs/operations.md explains them.',
  run: async ({ values, out }) => {
    const config = readConfig(process.env, values);
    const log = createLog(config.logLevel, 'stdout');
    const signals = listenForStop();
    const serving = await serve(config, log, {
      say: out,
      beforeEnd: signals.beforeEnd,
      onLost: (error) => {
        log.fatal({ err: error }, 'the embedded database is gone');
        process.stderr.write(`The embedded database is gone and could not be started again: ${error.message}\n`);
        process.exit(1);
      },
    });
    out(bannerText({ ...serving, seconds: performance.now() / 1000 }));
    log.info({ stopped_by: await signals.first }, 'stopping');
    await serving.stop();
    log.info('stopped');
  },
});
