/** Test calls: a short real call to a phone through one carrier. A worker with SIP places it. */

import { OperatorError } from '../../../base/operator-error.ts';
import type { WithSip } from '../../../business/b2bua/endpoint.ts';
import { longestRingMs, placeTestCall } from '../../../business/callout/test-call.ts';
import { findCarrier } from '../../../business/voice/carriers/find-routes.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { readSettings } from '../../verification/settings.ts';
import { type Acting, act } from '../act.ts';
import { lockCarrier, type WhichCarrier } from './carriers.writes.ts';
import { addTest, endTestAfter, requested, storeResult } from './peer-test-records.ts';

/** All carriers together: the calls ring real phones and cost money. */
const callsPerMinute = 6;
/** The longest that a call takes, and the wait for a worker. */
const endsAfterMs = longestRingMs + 60_000;

const callTask = defineTask<{ test_id: string }>('operator.test_call', { priority: 'background', outward: true });

/** One at a time through a carrier. Returns the id of the test. */
export function requestTestCall(acting: Acting, which: WhichCarrier, destination: string): Promise<string> {
  return act(acting, async (env) => {
    const { id: carrierId, name, host } = await lockCarrier(env, which);
    if (host === null) throw new OperatorError(`The carrier ${name} has no host that calls could be sent to.`);
    await requireRoom(env, carrierId, name);
    const tested = {
      kind: 'call' as const,
      peer: name,
      carrier_id: carrierId,
      destination: destination.replace('+', ''),
    };
    const id = await addTest(env, acting, tested);
    await env.jobs.add(env.db, callTask, { test_id: id });
    await endTestAfter(env, id, endsAfterMs);
    return requested(id, { carrier: name, call: true });
  });
}

async function requireRoom({ db, clock }: Environment, carrierId: string, name: string): Promise<void> {
  const recent = await db
    .selectFrom('peer_tests')
    .select(['carrier_id', 'status'])
    .where('kind', '=', 'call')
    .where('created_at', '>', new Date(clock.now().getTime() - 60_000))
    .execute();
  if (recent.some(({ carrier_id: id, status }) => id === carrierId && status === 'waiting'))
    throw new OperatorError(`A test call through ${name} is under way.`);
  if (recent.length >= callsPerMinute)
    throw new OperatorError(`There are at most ${callsPerMinute} test calls a minute; wait a moment.`);
}

/** A call is placed at most once: after a kill nobody knows whether the phone rang. */
export const placeCall = handle(
  callTask,
  async ({ test_id: id }, { env, signal }: TaskContext<Environment & WithSip>) => {
    const test = await env.db
      .selectFrom('peer_tests')
      .select(['carrier_id', 'destination', 'result'])
      .where('id', '=', id)
      .where('status', '=', 'waiting')
      .executeTakeFirst();
    if (test === undefined || test.destination === null) return;
    const failed = (result: string) => storeResult(env, id, { status: 'failed', result, milliseconds: null });
    if (test.result !== null) return failed('the process that placed the call was killed');
    const route = test.carrier_id === null ? null : await findCarrier(env, test.carrier_id);
    if (route === null) return failed('the carrier was removed, or has no host any more');
    await env.db.updateTable('peer_tests').set({ result: 'calling' }).where('id', '=', id).execute();
    const { callerNumber } = await readSettings(env);
    const began = performance.now();
    const number = { destination: test.destination, caller: callerNumber };
    const { answered, code, ringMs, reason } = await placeTestCall(env, route, number, signal);
    await storeResult(env, id, {
      status: answered || ringMs !== null ? 'passed' : 'failed',
      result: code === null ? reason : `${code} ${reason}`,
      milliseconds: Math.round(performance.now() - began),
      sip_code: code,
      answered,
      ring_milliseconds: ringMs,
    });
  },
);
