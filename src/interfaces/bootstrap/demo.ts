/** The demo account of a first start: a bootstrap section with fresh secrets, kept in the data folder. */
import { randomBytes, randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exists, readOrCreate } from '../../base/files.ts';
import type { Environment, EnvironmentName } from '../../engines/environment.ts';
import { applyBootstrap } from './apply.ts';
import type { BootstrapSection } from './parse.ts';
import { parseBootstrap } from './parse.ts';

export interface Demo {
  readonly file: string;
  /** Null unless this start created it. */
  readonly made: BootstrapSection | null;
  /** A file that is there until the demo account has its example records; see src/run/boot/demo-records.ts. */
  readonly recordsFile: string;
}

/**
 * Returns null if there is no demo. The secrets are written to disk before the account is created, and the file is
 * renamed to its final name afterwards: the next start continues after a crash in between.
 */
export async function ensureDemo(env: Environment, dataDirectory: string): Promise<Demo | null> {
  const file = demoFile(env.name, dataDirectory);
  const recordsFile = path.join(dataDirectory, `demo.${env.name}.records`);
  if (await exists(file)) return { file, made: null, recordsFile };
  const begun = begunOf(file);
  if (!(await exists(begun)) && !(await isUntouched(env))) return null;
  const made = parseBootstrap(JSON.parse(await beginDemo(env.name, dataDirectory)))[env.name];
  await applyBootstrap(env, made);
  if (env.name === 'sandbox') await writeFile(recordsFile, '', { flag: 'a' });
  await rename(begun, file);
  return { file, made, recordsFile };
}

/** Writes the secrets of the demo that is to be made, and returns them as a bootstrap file. */
export function beginDemo(name: EnvironmentName, dataDirectory: string): Promise<string> {
  const write = () => `${JSON.stringify({ [name]: createDemo() }, null, 2)}\n`;
  return readOrCreate(begunOf(demoFile(name, dataDirectory)), write);
}

/** There once the demo is made. */
export const demoFile = (name: EnvironmentName, dataDirectory: string): string =>
  path.join(dataDirectory, `demo.${name}.json`);
const begunOf = (file: string): string => `${file}.begun`;

async function isUntouched(env: Environment): Promise<boolean> {
  const { rows } = await env.pool.query<{ untouched: boolean }>(
    'select catalogue is null and not exists (select from accounts) as untouched from environment_state',
  );
  return rows[0]?.untouched === true;
}

function createDemo(): BootstrapSection {
  return {
    catalogue: 'demo',
    carriers: [],
    operators: [
      {
        email: 'operator@trunkline.test',
        password: randomBytes(12).toString('base64url'),
        role: 'owner',
        api_keys: [{ name: 'demo', key: randomBytes(24).toString('base64url') }],
      },
    ],
    accounts: [
      {
        name: 'Demo',
        email: 'demo@trunkline.test',
        password: randomBytes(12).toString('base64url'),
        balance: '1000.00',
        credit: '0.00',
        api_version: null,
        api_keys: [{ name: 'demo', key: randomBytes(24).toString('base64url') }],
        callback_secret: null,
        call_events: null,
        otp_applications: [
          {
            name: 'demo',
            key: randomUUID(),
            secret: randomBytes(32).toString('base64url'),
            minimum_mode: 'public',
            callback_url: null,
            code_timeout: 300,
            code_length: 6,
          },
        ],
      },
    ],
  };
}
