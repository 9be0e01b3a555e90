/**
 * `GET /panel/v1/upcoming`: what will happen to the account as time passes, soonest first. The page of the sandbox's
 * clock shows it, so that somebody who moves time knows what to expect.
 */
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../platform/context.ts';
import { type ContextOf, parametersOf, plain } from './plain-routes.ts';

/** Each row: when, what, about which record. `$1` account, `$2` now. */
const sources: readonly string[] = [
  `select r.expires_at as at, 'reservation_ends' as what, '+' || r.number as about, null::uuid as id
   from did_reservations r
   where r.account_id = $1 and r.expires_at > $2`,
  `select d.expires_at, case when d.terminated then 'number_ends' else 'number_renews' end, '+' || d.number, d.id
   from dids d where d.account_id = $1 and d.expires_at > $2`,
  `select v.expires_at, 'verification_expires', '+' || v.destination, null
   from verifications v where v.account_id = $1 and v.status = 'pending' and v.created_at > $2::timestamptz - interval '1 day'
     and v.expires_at > $2`,
  `select d.next_attempt_at, 'callback_is_sent', d.url, d.id
   from deliveries d where d.account_id = $1 and d.status = 'pending' and d.next_attempt_at > $2`,
  `select max(e.due_at), 'event_is_sent', e.stream, null
   from call_events e where e.account_id = $1 and e.due_at > $2 group by e.stream`,
  `select k.expires_at, 'key_ends', k.name, null
   from api_keys k where k.account_id = $1 and k.revoked_at is null and k.expires_at > $2`,
];

const statement = `select * from (${sources.map((source) => `(${source})`).join(' union all ')}) t order by at limit 50`;

export function upcomingRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/upcoming', { config: plain('upcoming') }, async (request, reply) => {
    const context = contextOf(request);
    parametersOf(request, []);
    const rows = await context.query(statement, [callerOf(context).accountId, context.now]);
    return reply.send({ now: context.now, upcoming: rows });
  });
}
