/** The 32 bytes that protect secrets at rest: given by the operator, or made on first start and kept. */
import { createHmac, randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Pool } from 'pg';
import { parseKey } from '../config/parse.ts';
import type { Config } from '../config.ts';
import type { EnvironmentName } from '../environment.ts';
import { readOrCreate } from '../files.ts';
import { OperatorError } from '../operator-error.ts';
import { prepareDataDirectory } from './data-directory.ts';

export async function readServerKey(config: Config): Promise<Buffer> {
  if (config.serverKey !== null) return config.serverKey;
  await prepareDataDirectory(config.dataDirectory);
  const file = path.join(config.dataDirectory, 'server.key');
  try {
    return parseKey(await readOrCreate(file, () => randomBytes(32).toString('base64')));
  } catch (error) {
    if (error instanceof RangeError) throw new OperatorError(`The server key in ${file} ${error.message}.`);
    throw error;
  }
}

/** A database remembers the key it was made with: another would encrypt secrets that the others cannot read. */
export async function checkServerKey(name: EnvironmentName, pool: Pool, key: Buffer): Promise<void> {
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
