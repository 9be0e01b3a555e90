/** The data folder and the server key, which lies in it unless a setting has it. */
import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Pool } from 'pg';
import { parseKey } from '../config/parse.ts';
import type { Config } from '../config/types.ts';
import type { EnvironmentName } from '../environment.ts';
import { FieldError } from '../fields.ts';
import { exists, readOrCreate } from '../files.ts';
import { OperatorError } from '../operator-error.ts';

/**
 * The key of this database. A database remembers the key it was made with: another would encrypt secrets that the others
 * cannot read. For the same reason a new key is made only for a database that has none yet.
 */
export async function openServerKey(name: EnvironmentName, pool: Pool, config: Config): Promise<Buffer> {
  const { rows } = await pool.query<{ known: boolean }>(
    'select server_key_mark is not null as known from environment_state',
  );
  const key = config.serverKey ?? (await readKeyFile(name, config, rows[0]?.known === true));
  await checkMark(name, pool, key);
  return key;
}

async function readKeyFile(name: EnvironmentName, config: Config, hasKey: boolean): Promise<Buffer> {
  const file = path.join(config.dataDirectory, 'server.key');
  if (hasKey && !(await exists(file))) {
    throw new OperatorError(
      `The ${name} database was made with a server key, which is neither in TRUNKLINE_SERVER_KEY nor in ${file}; set the one or name the right data folder with TRUNKLINE_DATA.`,
    );
  }
  await prepareDataDirectory(config.dataDirectory);
  try {
    return parseKey(await readOrCreate(file, () => randomBytes(32).toString('base64')));
  } catch (error) {
    if (error instanceof FieldError) throw new OperatorError(`The server key in ${file} ${error.message}.`);
    throw error;
  }
}

async function checkMark(name: EnvironmentName, pool: Pool, key: Buffer): Promise<void> {
  const mark = createHmac('sha256', key).update('trunkline server key').digest('hex');
  await pool.query('update environment_state set server_key_mark = $1 where server_key_mark is null', [mark]);
  const { rows } = await pool.query<{ same: boolean }>('select server_key_mark = $1 as same from environment_state', [
    mark,
  ]);
  if (rows[0]?.same === true) return;
  throw new OperatorError(
    `The ${name} database was made with another server key; set TRUNKLINE_SERVER_KEY to that one (it is the content of server.key in the data folder of the first start).`,
  );
}

export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    const probe = path.join(directory, `.writable-${randomBytes(4).toString('hex')}`);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new OperatorError(`The data folder ${directory} is not writable: ${reason(error)}.`);
  }
}

/** "EACCES: permission denied, mkdir '/x'" → "permission denied". */
function reason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^\w+: /, '').replace(/, .*$/, '') : String(error);
}
