/** What jobs need of the environment they run in. A handler asks for more by the type of its context. */
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Changes } from '../db/changes.ts';
import type { Schema } from '../db/schema.ts';
import type { Jobs } from './queue.ts';

export interface JobEnvironment {
  readonly name: string;
  readonly pool: Pool;
  readonly db: Kysely<Schema>;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly log: Logger;
}
