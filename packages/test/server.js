/** Starts the program for a test run, or finds one that runs already. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const lookEveryMs = 50;

/** With TRUNKLINE_URL and TRUNKLINE_API_KEY set nothing is started: a container or another process serves. */
export async function openServer({ command, variables = {}, startTimeoutMs = 600_000 } = {}) {
  const { TRUNKLINE_URL: url, TRUNKLINE_API_KEY: apiKey } = process.env;
  if (command === undefined && url && apiKey) return { url: url.replace(/\/$/, ''), apiKey, close: async () => {} };
  return startServer(command ?? installedCommand(), variables, startTimeoutMs);
}

function installedCommand() {
  try {
    const require = createRequire(path.join(process.cwd(), 'package.json'));
    const file = require.resolve('trunkline/package.json');
    return [process.execPath, path.join(path.dirname(file), 'bin/trunkline.cjs')];
  } catch {
    return ['trunkline'];
  }
}

async function startServer([program, ...args], variables, startTimeoutMs) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-test-'));
  const apiKey = randomBytes(24).toString('base64url');
  const account = { name: 'Tests', balance: '1000.00', api_keys: [{ name: 'tests', key: apiKey }] };
  const bootstrap = path.join(folder, 'bootstrap.json');
  await writeFile(bootstrap, JSON.stringify({ sandbox: { accounts: [account] } }));
  const readyFile = path.join(folder, 'ready.json');
  const server = spawn(program, [...args, 'serve'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      TRUNKLINE_PORT: 'off',
      TRUNKLINE_SANDBOX_PORT: '0',
      TRUNKLINE_SANDBOX_SIP_PORT: '0',
      TRUNKLINE_DATA: path.join(folder, 'data'),
      TRUNKLINE_LOG_LEVEL: 'warn',
      ...variables,
      TRUNKLINE_BOOTSTRAP: bootstrap,
      TRUNKLINE_READY_FILE: readyFile,
    },
  });
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-4000);
  });
  const ended = new Promise((resolve) => {
    server.once('error', (error) => resolve(error.message));
    server.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`));
  });
  const close = async () => {
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { environments } = await readyOf(readyFile, ended, startTimeoutMs);
    return { url: environments.sandbox.url, apiKey, close };
  } catch (error) {
    await close();
    throw new Error(`Trunkline did not start: ${error.message}\n${errors}`);
  }
}

async function readyOf(file, ended, timeoutMs) {
  let reason = null;
  ended.then((text) => {
    reason = text;
  });
  const deadline = performance.now() + timeoutMs;
  while (reason === null && performance.now() < deadline) {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text !== null) return JSON.parse(text);
    await delay(lookEveryMs);
  }
  throw new Error(reason ?? `it was not ready after ${timeoutMs} ms`);
}
