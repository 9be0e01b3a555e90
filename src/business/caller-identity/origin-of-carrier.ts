/** What signatures name as the origin of calls that a carrier brings, or that are this environment's own. */
import { sql } from 'kysely';
import type { Environment } from '../../engines/environment.ts';

/** `carrierId`: null for calls of this environment's own, and for those of nobody known. */
export async function originOfCarrier({ db }: Environment, carrierId: string | null): Promise<string> {
  const { rows } = await sql<{ origid: string }>`
    select coalesce((select c.origid from carriers c where c.id = ${carrierId}::uuid), s.origid) as origid
    from environment_state s`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error('the environment has no row of its own');
  return found.origid;
}
