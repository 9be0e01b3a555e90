/**
 * Notes when API keys were last used. Uses are collected in memory and written together a moment later, so that no
 * request waits for it; a process that is killed loses that moment.
 */
import { sql } from 'kysely';
import type { Environment } from '../../engines/environment.ts';

const writtenAfterMs = 1_000;

export function createKeyUses(env: Environment): (keyId: string) => void {
  let uses = new Map<string, Date>();
  const write = async () => {
    const ids = [...uses.keys()];
    const times = [...uses.values()];
    uses = new Map();
    await sql`
      insert into api_key_uses (api_key_id, last_used_at)
      select k.id, u.at from unnest(${ids}::uuid[], ${times}::timestamptz[]) as u (id, at) join api_keys k on k.id = u.id
      order by k.id
      on conflict (api_key_id) do update set last_used_at = greatest(api_key_uses.last_used_at, excluded.last_used_at)`.execute(
      env.db,
    );
  };
  return (keyId) => {
    if (uses.size === 0) {
      setTimeout(() => {
        write().catch((error) => env.log.debug({ err: error }, 'the last use of API keys could not be written'));
      }, writtenAfterMs).unref();
    }
    uses.set(keyId, env.clock.now());
  };
}
