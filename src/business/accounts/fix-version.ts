/**
 * An account has the version of `/v3` that was the newest at its first request, unless somebody chose one before: what
 * a program was written against stays, whatever this server learns later.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import { besideRequest } from '../../engines/db/work.ts';
import type { Environment } from '../../engines/environment.ts';

/** Fixes it in the background: the request is served in the newest version anyway, and the next one tries again. */
export function versionFixer({ db, log }: Pick<Environment, 'log'> & { db: Kysely<Schema> }, newest: string) {
  const fixing = new Set<string>();
  return (accountId: string): void => {
    if (fixing.has(accountId)) return;
    fixing.add(accountId);
    besideRequest(() =>
      db
        .updateTable('accounts')
        .set({ api_version: newest })
        .where('id', '=', accountId)
        .where('api_version', 'is', null)
        .execute(),
    )
      .catch((error) => log.info({ err: error, account: accountId }, 'the API version of an account was not fixed yet'))
      .finally(() => fixing.delete(accountId));
  };
}
