import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Row, RunQuery } from '../jsonapi/sql.ts';

/** Statements seen often enough to be prepared; the rest are sent as they are, so that no connection hoards plans. */
const PREPARED_AT_MOST = 400;

/**
 * Runs the engine's statements on the pool. A request's shape decides its text, so the same few texts come again and
 * again: from the second time on they run as prepared statements, which saves parsing and planning.
 */
export function createQueryRunner(pool: Pool): RunQuery {
  const names = new Map<string, string | null>();
  return async (text, values) => {
    const name = nameOf(names, text);
    const result = await pool.query<Row>(name ? { name, text, values } : { text, values });
    return result.rows;
  };
}

function nameOf(names: Map<string, string | null>, text: string): string | null {
  const known = names.get(text);
  if (known) return known;
  if (names.size >= PREPARED_AT_MOST && known === undefined) return null;
  const name = known === null ? `v3_${createHash('sha1').update(text).digest('hex').slice(0, 20)}` : null;
  names.set(text, name);
  return name;
}
