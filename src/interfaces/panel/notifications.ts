/**
 * `GET /panel/v1/notifications`: what needs the customer's attention now, read from the records themselves. A
 * notification is gone when its cause is; nothing is stored. Each has a key, which changes when there is something new
 * about it.
 */
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../platform/context.ts';
import { type ContextOf, parametersOf, plain } from './plain-routes.ts';

/**
 * Rows: what it is, since when or until when, about what in words, the record, and how many. `$1` account, `$2` now.
 * Counts look at the last 7 days at most, by an index of the account.
 */
const sources: readonly string[] = [
  `select 'no_money' as kind, $2::timestamptz as at, (balance + credit)::text as about, null::uuid as id, 1::bigint as count
   from accounts where id = $1 and balance + credit <= 0`,
  `select 'low_balance', $2::timestamptz, b.threshold::text, null, 1
   from accounts a join balance_alerts b on b.account_id = a.id
   where a.id = $1 and a.balance < b.threshold and a.balance + a.credit > 0`,
  `select 'numbers_await_registration', max(d.created_at), null, null, count(*)
   from dids d where d.account_id = $1 and d.activated_at is not null and d.awaiting_registration and not exists (
     select from address_verification_dids l join address_verifications v on v.id = l.address_verification_id
     where l.did_id = d.id and v.status = 'pending') having count(*) > 0`,
  `select 'numbers_blocked', max(created_at), null, null, count(*)
   from dids where account_id = $1 and activated_at is not null and blocked_by_staff having count(*) > 0`,
  `select 'numbers_end', min(expires_at), null, null, count(*)
   from dids where account_id = $1 and activated_at is not null and terminated
     and expires_at between $2 and $2::timestamptz + interval '7 days' having count(*) > 0`,
  `select 'numbers_expired', max(expired_at), null, null, count(*)
   from dids where account_id = $1 and activated_at is not null and expired_at is not null having count(*) > 0`,
  `select 'registration_rejected', v.decided_at, v.reference, v.id, 1
   from address_verifications v
   where v.account_id = $1 and v.status = 'rejected' and exists (
     select from address_verification_dids l join dids d on d.id = l.did_id
     where l.address_verification_id = v.id and d.account_id = $1 and d.awaiting_registration)
     and not exists (
     select from address_verification_dids l join address_verification_dids later on later.did_id = l.did_id
     join address_verifications again on again.id = later.address_verification_id
     where l.address_verification_id = v.id and again.created_at > v.created_at)`,
  `select 'emergency_rejected', v.decided_at, v.reference, v.id, 1
   from emergency_verifications v
   where v.account_id = $1 and v.status = 'rejected' and not exists (
     select from emergency_verifications later
     where later.emergency_calling_service_id = v.emergency_calling_service_id and later.created_at > v.created_at)`,
  `select case when p.expires_at > $2 then 'document_expires' else 'document_expired' end, p.expires_at, t.name,
          coalesce(p.identity_id, a.identity_id), 1
   from proofs p join proof_types t on t.id = p.proof_type_id left join addresses a on a.id = p.address_id
   where p.account_id = $1 and p.expires_at < $2::timestamptz + interval '30 days'`,
  `select 'callbacks_failed', max(finished_at), null, null, count(*)
   from deliveries where account_id = $1 and created_at > $2::timestamptz - interval '7 days' and status = 'failed'
   having count(*) > 0`,
  `select 'events_not_accepted', l.retry_at, l.stream, null, l.failures
   from call_event_lanes l where l.account_id = $1`,
  `select 'key_ends', k.expires_at, k.name, k.id, 1
   from api_keys k where k.account_id = $1 and k.revoked_at is null
     and k.expires_at between $2 and $2::timestamptz + interval '7 days'`,
];

const statement = `
  select concat_ws(' ', kind, id, about, case when id is null and kind <> 'events_not_accepted' then count end) as key,
         kind, at, about, id, count::integer as count
  from (${sources.map((source) => `(${source})`).join(' union all ')}) t order by at desc nulls last limit 100`;

export function notificationsRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/notifications', { config: plain('notifications') }, async (request, reply) => {
    const context = contextOf(request);
    parametersOf(request, []);
    const rows = await context.query(statement, [callerOf(context).accountId, context.now]);
    return reply.send({ notifications: rows });
  });
}
