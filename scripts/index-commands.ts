/** Writes `src/run/commands/index.json`, every command as help and completion show it (`npm run commands`). */
import { writeFile } from 'node:fs/promises';
import { loadCommands } from '../src/run/commands/commands.ts';

const entries = (await loadCommands()).map(({ name, file, summary, positionals, options }) =>
  JSON.stringify({ name, file, summary, positionals, options }),
);
await writeFile(new URL('../src/run/commands/index.json', import.meta.url), `[\n${entries.join(',\n')}\n]\n`);
