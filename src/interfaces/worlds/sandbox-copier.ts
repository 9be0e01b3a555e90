/** Makes a database that holds an account of the sandbox as it is now; or, as an operator's act, all of them. */
import { connectionOf } from '../../engines/db/pool.ts';
import type { Environment } from '../../engines/environment.ts';
import type { WorldDatabases } from './databases.ts';
import { holdClock } from './hold-clock.ts';
import { startThread } from './snapshot-thread.ts';

interface WhatIsCopied {
  /** Whose copy it is. */
  readonly accountId: string;
  readonly whole: boolean;
}

/** Returns the offset of the copy's clock, in milliseconds. */
export type CopySandbox = (database: string, what: WhatIsCopied) => Promise<number>;

/** A copy that is not made in this time is given up. */
const patienceMs = 120_000;

export const sandboxCopier =
  (env: Environment, databases: WorldDatabases, program: string, emptyTemplate: () => Promise<string>): CopySandbox =>
  async (database, { accountId, whole }) => {
    await databases.create(database, await emptyTemplate());
    const [fromUrl, toUrl] = [connectionOf(env.pool), databases.url(database)];
    const copied = { accountId: whole ? null : accountId, ownerId: accountId, patienceMs };
    await startThread({ kind: 'copy', fromUrl, toUrl, ...copied }, { program, patienceMs }).done;
    return holdClock(toUrl);
  };
