/**
 * The records of tests of providers and carriers: written when one is asked for, and completed with what came of it.
 */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import { nameOf } from '../../../base/actor.ts';
import type { PeerTestsTable } from '../../../engines/db/tables/operators.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import type { Acting } from '../act.ts';

type TestedPeer = Pick<Insertable<PeerTestsTable>, 'kind' | 'peer' | 'provider_id' | 'carrier_id' | 'destination'>;

/** Returns the id. `env.db` is the transaction of the act. */
export async function addTest(env: Environment, { by }: Acting, tested: TestedPeer): Promise<string> {
  const id = randomUUID();
  const row = { ...tested, id, status: 'waiting' as const, actor: nameOf(by), created_at: env.clock.now() };
  await env.db.insertInto('peer_tests').values(row).execute();
  return id;
}

/** What an act that asks for a test has done. */
export const requested = (id: string, after: { provider: string } | { carrier: string; call?: true }) => ({
  result: id,
  action: 'peer_test.requested' as const,
  accountId: null,
  subject: { type: 'peer_tests', id },
  after,
});

interface TestResult {
  status: 'passed' | 'failed';
  result: string;
  milliseconds: number | null;
  sip_code?: number | null;
  answered?: boolean;
  ring_milliseconds?: number | null;
}

export async function storeResult({ db, clock }: Environment, id: string, result: TestResult): Promise<void> {
  await db
    .updateTable('peer_tests')
    .set({ ...result, finished_at: clock.now() })
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .execute();
}

const endTask = defineTask<{ test_id: string }>('operator.end_carrier_test', { priority: 'background' });

/** Without a process that has SIP a test of a carrier ends by itself. */
export async function endTestAfter(env: Environment, id: string, milliseconds: number): Promise<void> {
  const at = new Date(env.clock.now().getTime() + milliseconds);
  await env.jobs.add(env.db, endTask, { test_id: id }, { at });
}

export const endCarrierTest = handle(endTask, async ({ test_id: id }, { env }: TaskContext<Environment>) => {
  await storeResult(env, id, { status: 'failed', result: 'no process with SIP has asked it', milliseconds: null });
});
