/**
 * Counts the requests of API keys by hour, path and outcome. Counts are collected in memory and written together a
 * moment later, so that no request waits for it; a process that is killed loses that moment.
 */
import { sql } from 'kysely';
import type { Environment } from '../../engines/environment.ts';

interface KeyRequest {
  keyId: string;
  method: string;
  /** The pattern of the route, without ids. */
  path: string;
  status: number;
  /** The title of the first error; empty for a success. */
  error: string;
}

const writtenAfterMs = 1_000;
const hourMs = 3_600_000;
/** A table of hours does not grow without end: a process deletes older ones once a day. */
const keptDays = 31;

export function createKeyUsage(env: Environment): (request: KeyRequest) => void {
  let forgottenOn = '';
  let counts = new Map<string, KeyRequest & { hour: string; requests: number; lastAt: Date }>();
  const write = async () => {
    const rows = JSON.stringify([...counts.values()]);
    counts = new Map();
    await sql`
      insert into api_key_usage as u (api_key_id, hour, method, path, status, error, requests, last_at)
      select k.id, r.hour, r.method, r.path, r.status, r.error, r.requests, r."lastAt"
      from jsonb_to_recordset(${rows}::jsonb) as r ("keyId" uuid, hour timestamptz, method text, path text, status integer,
                                                   error text, requests bigint, "lastAt" timestamptz)
      join api_keys k on k.id = r."keyId"
      order by 1, 2, 3, 4, 5, 6
      on conflict (api_key_id, hour, method, path, status, error)
        do update set requests = u.requests + excluded.requests, last_at = greatest(u.last_at, excluded.last_at)`.execute(
      env.db,
    );
    const today = env.clock.now().toISOString().slice(0, 10);
    if (forgottenOn === today) return;
    forgottenOn = today;
    await forget(env);
  };
  return (request) => {
    if (counts.size === 0) {
      setTimeout(() => {
        write().catch((error) => env.log.debug({ err: error }, 'the use of API keys could not be counted'));
      }, writtenAfterMs).unref();
    }
    const now = env.clock.now();
    const hour = Math.floor(now.getTime() / hourMs);
    const { keyId, method, path, status, error } = request;
    const key = `${keyId}\n${hour}\n${method}\n${path}\n${status}\n${error}`;
    const known = counts.get(key);
    if (known === undefined) {
      counts.set(key, { ...request, hour: new Date(hour * hourMs).toISOString(), requests: 1, lastAt: now });
    } else {
      known.requests += 1;
      known.lastAt = now;
    }
  };
}

async function forget(env: Environment): Promise<void> {
  const before = new Date(env.clock.now().getTime() - keptDays * 86_400_000);
  await env.db.deleteFrom('api_key_usage').where('hour', '<', before).execute();
}
