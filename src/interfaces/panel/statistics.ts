/**
 * `GET /panel/v1/statistics?days=30`: calls and verifications by day, and how many verifications led to a verified
 * phone.
 */
import type { FastifyInstance } from 'fastify';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { callerOf } from '../platform/context.ts';
import { type ContextOf, parametersOf, plain } from './plain-routes.ts';

const mostDays = 90;

/** Every day of the period has a row, also one without a call. `$1` account, `$2` first day, `$3` last day. */
const days = `generate_series(date_trunc('day', $2::timestamptz at time zone 'UTC'),
                              date_trunc('day', $3::timestamptz at time zone 'UTC'), interval '1 day') as d (day)`;
const from = `date_trunc('day', $2::timestamptz at time zone 'UTC') at time zone 'UTC'`;

const statement = `
  with inbound as (
    select date_trunc('day', time_start at time zone 'UTC') as day, count(*) filter (where success) as answered,
           count(*) filter (where not success) as failed, coalesce(sum(duration), 0) as seconds
    from cdrs_in where account_id = $1 and is_last and time_start >= ${from} group by 1
  ), outbound as (
    select date_trunc('day', time_start at time zone 'UTC') as day, count(*) as calls
    from cdrs_out where account_id = $1 and time_start >= ${from} group by 1
  ), verified as (
    select date_trunc('day', created_at at time zone 'UTC') as day, count(*) as started,
           count(*) filter (where status = 'verified') as verified
    from verifications where account_id = $1 and created_at >= ${from} and status <> 'denied' group by 1
  )
  select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(i.answered, 0)::integer as answered,
         coalesce(i.failed, 0)::integer as failed, coalesce(i.seconds, 0)::integer as seconds,
         coalesce(o.calls, 0)::integer as outbound, coalesce(v.started, 0)::integer as verifications,
         coalesce(v.verified, 0)::integer as verified
  from ${days} left join inbound i on i.day = d.day left join outbound o on o.day = d.day left join verified v on v.day = d.day
  order by d.day`;

export function statisticsRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/statistics', { config: plain('statistics') }, async (request, reply) => {
    const context = contextOf(request);
    const { days: given = '30' } = parametersOf(request, ['days']);
    const count = Number(given);
    if (!Number.isInteger(count) || count < 1 || count > mostDays) {
      throw new ApiError([errors.invalidFieldValue(given, 'days')]);
    }
    const first = new Date(context.now.getTime() - (count - 1) * 86_400_000);
    const rows = await context.query(statement, [callerOf(context).accountId, first, context.now]);
    return reply.send({ days: rows });
  });
}
