/**
 * `npm run fuzz -- [--requests 1000000] [--seed N]`: a long run of test/fuzz, which sends requests made from the
 * OpenAPI documents and holds every response against them. A fault is printed with its request.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const [requests, seed] = [Number(values.requests), Number(values.seed ?? 1)];
if (!(Number.isInteger(requests) && requests >= 100 && Number.isInteger(seed) && seed > 0)) {
  process.stderr.write('usage: npm run fuzz -- [--requests <100 or more>] [--seed <a positive number>]\n');
  process.exit(2);
}
const root = path.resolve(import.meta.dirname, '..');
const { status } = spawnSync(
  path.join(root, 'node_modules/.bin/vitest'),
  ['run', '--project', 'whole', 'test/fuzz', '--testTimeout', String(86_400_000)],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_REQUESTS: String(requests),
      ...(values.seed === undefined ? {} : { FUZZ_SEED: String(seed) }),
    },
  },
);
process.exitCode = status ?? 1;
