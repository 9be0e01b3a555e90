/** The data folder and the server key, which lies in it unless a setting has it. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Pool } from 'pg';
import { FieldError } from '../../base/fields.ts';
import { exists, readOrCreate } from '../../base/files.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { ServerKey } from '../../base/server-key.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import { parseServerKey } from '../config/parse.ts';
import type { Config } from '../config/types.ts';

/**
 * The key of this database. A database remembers the key it was made with: another would encrypt secrets that the
 * others cannot read. For the same reason a new key is made only for a database that has none yet.
 */
export async function openServerKey(name: EnvironmentName, pool: Pool, config: Config): Promise<ServerKey> {
  const { rows } = await pool.query<{ known: boolean }>(
    'select server_key_mark is not null as known from environment_state',
  );
  const key = config.serverKey ?? (await readKeyFile(name, config, rows[0]?.known === true));
  await checkMark(name, pool, key);
  return key;
}

async function readKeyFile(name: EnvironmentName, config: Config, hasKey: boolean): Promise<ServerKey> {
  const file = path.join(config.dataDirectory, 'server.key');
  if (hasKey && !(await exists(file))) {
    throw new OperatorError(
      `The ${name} database was made with a server key, which is neither in TRUNKLINE_SERVER_KEY nor in ${file}; set the one or name the right data folder with TRUNKLINE_DATA.`,
    );
  }
  await prepareDataDirectory(config.dataDirectory);
  try {
    return parseServerKey((await readOrCreate(file, () => randomBytes(32).toString('base64'))).trim());
  } catch (error) {
    if (error instanceof FieldError) throw new OperatorError(`The server key in ${file} ${error.message}.`);
    throw error;
  }
}

async function checkMark(name: EnvironmentName, pool: Pool, key: ServerKey): Promise<void> {
  const marks = key.marks();
  const [sealing] = marks;
  // A database that has no key yet takes this one; a key that is to replace the others is noted before it seals
  // anything.
  await pool.query(
    `update environment_state set server_key_mark = coalesce(server_key_mark, $1),
       further_key_marks = case when server_key_mark is null or $1 = any(server_key_mark || further_key_marks)
         then further_key_marks else further_key_marks || $1::text end
     where server_key_mark is null or server_key_mark || further_key_marks <@ $2`,
    [sealing, marks],
  );
  const { rows } = await pool.query<{ same: boolean }>(
    'select server_key_mark || further_key_marks <@ $1 as same from environment_state',
    [marks],
  );
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
