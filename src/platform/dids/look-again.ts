import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import { settleDueTask } from './tasks.ts';

/** One job for all numbers that fall due at the same moment. */
export async function lookAgainAt(trx: Kysely<Schema>, env: Environment, at: Date): Promise<void> {
  await env.jobs.add(trx, settleDueTask, {}, { at, key: `${settleDueTask.name}:${at.toISOString()}` });
}
