/**
 * What happened: `/sandbox/v1/requests`, `/deliveries`, `/calls` and `/timeline`. Tests assert, this interface shows.
 */

import { readMoment } from '../../base/time-text.ts';
import { listDeliveries } from '../../business/callbacks/callback-log.ts';
import { listEvents } from '../../business/voice/events/queue.ts';
import type { Environment } from '../../engines/environment.ts';
import { BadControlRequest, type Control, type ControlRequest, readWait } from './control.ts';
import { readComing, readHappenings } from './happenings/timeline.ts';

const mostShown = 500;
const lookEveryMs = 100;

export const happeningsControl: Control = (routes, env) => {
  routes.get('/requests', async (request) => {
    const since = readSince(request.query.since);
    const read = () => env.requestRecords.list(request.caller.accountId, since, mostShown);
    const rows = await waitForAny(request, read);
    return {
      body: {
        requests: rows.map(({ id, at, method, path, status, duration_ms, request: sent, response }) => ({
          id: String(id),
          at: at.toISOString(),
          method,
          path,
          status,
          duration_ms,
          request: parsed(sent),
          response: parsed(response),
        })),
      },
    };
  });

  routes.get('/deliveries', async (request) => {
    const since = readSince(request.query.since);
    const deliveries = await waitForAny(request, () => readDeliveries(env, request.caller.accountId, since));
    return { body: { deliveries } };
  });

  routes.get('/calls', async (request) => {
    const since = readSince(request.query.since);
    const calls = await waitForAny(request, () => readCalls(env, request.caller.accountId, since));
    return { body: { calls } };
  });

  routes.get('/timeline', async (request) => {
    const since = readSince(request.query.since);
    const { accountId } = request.caller;
    const happened = await waitForAny(request, async () => {
      await env.requestRecords.write();
      return readHappenings(env, accountId, since, mostShown);
    });
    const next = await readComing(env, mostShown);
    return {
      body: {
        now: env.clock.now().toISOString(),
        happened: happened.map(({ at, ...happening }) => ({ at: at.toISOString(), ...happening })),
        next: next.map(({ at, ...coming }) => ({ at: at.toISOString(), ...coming })),
      },
    };
  });
};

/** Callbacks and call events, newest first. */
async function readDeliveries(env: Environment, accountId: string, since: Date | null) {
  const callbacks = await listDeliveries(env, { accountId, limit: mostShown });
  const events = await listEvents(env, { accountId, limit: mostShown });
  const shown = [
    ...callbacks.map((each) => ({
      id: each.id,
      kind: each.kind,
      url: each.url,
      status: each.status,
      attempts: each.attempts,
      payload: each.payload,
      last_status: each.last_status,
      last_error: each.last_error,
      next_attempt_at: each.next_attempt_at,
      created_at: each.created_at,
    })),
    ...events.map((each) => ({
      id: String(each.id),
      kind: each.stream,
      url: null,
      status: each.status,
      attempts: each.attempts,
      payload: parsed(each.body),
      last_status: each.last_status,
      last_error: each.last_error,
      next_attempt_at: each.next_attempt_at,
      created_at: each.created_at,
    })),
  ];
  return shown
    .filter(({ created_at }) => since === null || created_at >= since)
    .toSorted((left, right) => right.created_at.getTime() - left.created_at.getTime())
    .map((each) => ({
      ...each,
      next_attempt_at: each.next_attempt_at?.toISOString() ?? null,
      created_at: each.created_at.toISOString(),
    }));
}

/** Inbound calls: those that are up, then those that have ended, newest first. */
async function readCalls({ db }: Environment, accountId: string, since: Date | null) {
  const up = await db
    .selectFrom('open_calls')
    .leftJoin('dids', 'dids.id', 'open_calls.did_id')
    .select(['open_calls.id', 'open_calls.state', 'open_calls.time_start', 'dids.number'])
    .where('open_calls.account_id', '=', accountId)
    .where('direction', '=', 'in')
    .$if(since !== null, (query) => query.where('open_calls.time_start', '>=', since ?? new Date(0)))
    .orderBy('open_calls.time_start', 'desc')
    .limit(mostShown)
    .execute();
  const ended = await db
    .selectFrom('cdrs_in')
    .select(['call_id', 'time_start', 'time_end', 'src_number', 'did_number', 'duration', 'disconnect_code', 'success'])
    .where('account_id', '=', accountId)
    .where('is_last', '=', true)
    .$if(since !== null, (query) => query.where('time_start', '>=', since ?? new Date(0)))
    .orderBy('time_start', 'desc')
    .limit(mostShown)
    .execute();
  return [
    ...up.map((call) => ({
      id: call.id,
      status: call.state as string,
      did_number: call.number,
      src_number: null,
      disconnect_code: null,
      duration: null,
      started_at: call.time_start.toISOString(),
      ended_at: null,
    })),
    ...ended.map((call) => ({
      id: call.call_id,
      status: call.success ? 'completed' : 'failed',
      did_number: call.did_number,
      src_number: call.src_number,
      disconnect_code: call.disconnect_code,
      duration: call.duration,
      started_at: call.time_start.toISOString(),
      ended_at: call.time_end.toISOString(),
    })),
  ];
}

/** Reads again until there is something, the time is over or the client has gone. */
async function waitForAny<T>(request: ControlRequest<undefined>, read: () => Promise<T[]>): Promise<T[]> {
  const deadline = performance.now() + readWait(request.query.wait) * 1000;
  const signal = request.signal();
  for (;;) {
    const found = await read();
    if (found.length > 0 || signal.aborted || performance.now() >= deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

function readSince(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = readMoment(text);
  if (time === null) throw new BadControlRequest('since must be a time such as 2026-06-15T12:00:00Z');
  return time;
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
