import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';

/** One job for all numbers that fall due at the same moment. */
export async function lookAgainAt(trx: Kysely<Schema>, env: Environment, at: Date): Promise<void> {
  await env.jobs.add(trx, 'dids.due', {}, { at, key: `dids.due:${at.toISOString()}` });
}
