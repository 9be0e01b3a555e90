/** What operators do with jobs and callbacks: run or send again, discard; one, or all of a time. */
import { randomUUID } from 'node:crypto';
import { nameOf } from '../../base/actor.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { AuditAction } from '../../business/audit.ts';
import { discardDeliveries, replayDeliveries, replayDelivery } from '../../business/callbacks/callback-log.ts';
import type { Environment } from '../../engines/environment.ts';
import { discardJobs, retryJobs } from '../../engines/jobs/inspect.ts';
import { type Acting, act } from './act.ts';

const noneGaveUp = () => new OperatorError('There is no such job that gave up.');

export const retryJob = (acting: Acting, id: string): Promise<void> => onJob(acting, id, 'job.retried', retryJobs);
export const discardJob = (acting: Acting, id: string): Promise<void> =>
  onJob(acting, id, 'job.discarded', discardJobs);

function onJob(acting: Acting, id: string, action: AuditAction, change: typeof retryJobs): Promise<void> {
  return act(acting, async ({ db }) => {
    if ((await change(db, { id })) === 0) throw noneGaveUp();
    return { result: undefined, action, accountId: null, subject: { type: 'jobs', id } };
  });
}

export function retryDelivery(acting: Acting, id: string): Promise<void> {
  return onDelivery(acting, id, 'delivery.retried', async (env) => {
    if (!(await replayDelivery(env, id))) throw new OperatorError(`There is no delivery ${id}.`);
  });
}

export function discardDelivery(acting: Acting, id: string): Promise<void> {
  return onDelivery(acting, id, 'delivery.discarded', async (env) => {
    if ((await discardDeliveries(env, { id })) === 0) throw new OperatorError(`No delivery ${id} is to be sent.`);
  });
}

function onDelivery(
  acting: Acting,
  id: string,
  action: AuditAction,
  change: (env: Environment) => Promise<void>,
): Promise<void> {
  return act(acting, async (env) => {
    const before = await env.db
      .selectFrom('deliveries')
      .select(['account_id', 'status', 'attempts'])
      .where('id', '=', id)
      .executeTakeFirst();
    await change(env);
    const { account_id: accountId = null, ...state } = before ?? {};
    return { result: undefined, action, accountId, subject: { type: 'deliveries', id }, before: state };
  });
}

export interface BulkAction {
  subject: 'jobs' | 'deliveries';
  action: 'retry' | 'discard';
  /** Of jobs only. */
  task?: string | null;
  /** Of callbacks only. */
  accountId?: string | null;
  since?: Date | null;
  until?: Date | null;
  reason: string;
}

/** Returns the id of the action's record, which says how many jobs or callbacks it reached. */
export function actInBulk(acting: Acting, wanted: BulkAction): Promise<{ id: string; count: number }> {
  const { subject, action, task = null, accountId = null, since = null, until = null, reason } = wanted;
  if (reason.trim() === '') throw new OperatorError('A reason is needed.');
  if (subject === 'jobs' && accountId !== null) throw new OperatorError('Jobs are not chosen by account.');
  if (subject === 'deliveries' && task !== null) throw new OperatorError('Callbacks are not chosen by task.');
  if (since !== null && until !== null && since > until) throw new OperatorError('The time ends before it begins.');
  return act({ ...acting, reason }, async (env) => {
    const count = await reach(env, { ...wanted, task, accountId, since, until });
    const id = randomUUID();
    const choice = { task, since, until };
    const row = { id, subject, action, ...choice, account_id: accountId, count, reason, actor: nameOf(acting.by) };
    await env.db
      .insertInto('bulk_actions')
      .values({ ...row, created_at: env.clock.now() })
      .execute();
    const done: AuditAction = `${subject === 'jobs' ? 'job' : 'delivery'}.${action === 'retry' ? 'retried' : 'discarded'}`;
    const after = { count, ...choice };
    return { result: { id, count }, action: done, accountId, subject: { type: 'bulk_actions', id }, after };
  });
}

function reach(env: Environment, { subject, action, ...choice }: BulkAction): Promise<number> {
  if (subject === 'jobs') return action === 'retry' ? retryJobs(env.db, choice) : discardJobs(env.db, choice);
  return action === 'retry' ? replayDeliveries(env, choice) : discardDeliveries(env, choice);
}
