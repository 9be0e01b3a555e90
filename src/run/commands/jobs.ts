/** `jobs list`, `jobs show`, `jobs retry`, `jobs discard`. */

import { oneOf } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { Environment } from '../../engines/environment.ts';
import { findJob, type InspectedJob, jobStates, listJobs } from '../../engines/jobs/inspect.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { actInBulk, type BulkAction, discardJob, retryJob } from '../../interfaces/operator/queue.writes.ts';
import { option, type Values } from './command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';
import { reasonNotGiven, window, windowOf } from './window.ts';

const json = { type: 'boolean', summary: 'print JSON' } as const;
const choice = {
  id: { type: 'string', value: 'ID', summary: 'this job' },
  task: { type: 'string', value: 'TASK', summary: 'every job of this task that gave up' },
  ...window,
} as const;

export const jobsCommands = [
  environmentCommand({
    name: 'jobs list',
    summary: 'List the jobs that gave up, or those in another state.',
    options: {
      state: { type: 'string', value: 'STATE', summary: `one of ${jobStates.join(', ')}; failed when left out` },
      task: { type: 'string', value: 'TASK', summary: 'only of this task, such as orders.fulfil' },
      json,
    },
    run: async ({ env, values, out, printTable }) => {
      const state = option('state', values.state, oneOf(...jobStates)) ?? 'failed';
      const jobs = await listJobs(env.pool, { state, ...(values.task === undefined ? {} : { task: values.task }) });
      if (values.json) return out(JSON.stringify(jobs));
      const rows = jobs.map((job) => [job.id, job.task, tries(job), moment(job.run_at), firstLine(job.last_error)]);
      const headings = ['ID', 'TASK', 'ATTEMPTS', 'DUE', 'LAST ERROR'];
      printTable(headings, rows, `There are no jobs that are ${state}.`);
    },
  }),
  environmentCommand({
    name: 'jobs show',
    summary: 'Show a job with its payload and its last error.',
    positionals: ['ID'],
    options: { json },
    run: async ({ env, values, positionals: [id = ''], out }) => {
      const job = await findJob(env.pool, checkedId(id));
      if (job === null) throw noJob(id);
      if (values.json) return out(JSON.stringify(job));
      out(`${job.task} ${job.state}, ${tries(job)} attempts`);
      out(`added ${moment(job.created_at)}, due ${moment(job.run_at)}`);
      out(JSON.stringify(job.payload));
      if (job.last_error !== null) out(job.last_error);
    },
  }),
  environmentCommand({
    name: 'jobs retry',
    summary: 'Run a job that gave up again, with all its attempts.',
    options: choice,
    run: async ({ env, values, out }) => {
      const count = await onChosen(env, 'retry', values);
      out(`${count === 1 ? 'It is' : `${count} jobs are`} run by the next worker that is free.`);
    },
  }),
  confirmedCommand({
    name: 'jobs discard',
    summary: 'Remove a job that gave up; what it was to do is never done.',
    options: choice,
    run: async ({ env, values, reason }) => {
      const count = await onChosen(env, 'discard', { ...values, reason });
      const jobs = count === 1 ? 'one job' : `${count} jobs`;
      return { concerned: String(count), effects: [`jobs that are never done: ${count}`], done: `Removed ${jobs}.` };
    },
  }),
];

/** Returns how many jobs there were; throws if there was none. */
async function onChosen(
  env: Environment,
  action: BulkAction['action'],
  values: Values<typeof choice>,
): Promise<number> {
  const { id, task, reason } = values;
  const { since, until } = windowOf(values);
  const isMany = task !== undefined || since !== null || until !== null;
  if ((id === undefined) !== isMany) throw new OperatorError('Give either --id or --task, or a time with --since.');
  const acting = atCommandLine(env, reason);
  if (id !== undefined) {
    await (action === 'retry' ? retryJob : discardJob)(acting, checkedId(id));
    return 1;
  }
  const chosen = { subject: 'jobs', action, task: task ?? null, since, until } as const;
  const { count } = await actInBulk(acting, { ...chosen, reason: reason ?? reasonNotGiven });
  if (count === 0) throw noneGaveUp();
  return count;
}

function checkedId(text: string): string {
  if (!/^\d{1,18}$/.test(text)) throw noJob(text);
  return text;
}

const noJob = (id: string) => new OperatorError(`There is no job ${id}.`);
const noneGaveUp = () => new OperatorError('There is no such job that gave up; see trunkline jobs list.');

const tries = ({ attempts, max_attempts }: InspectedJob): string => `${attempts} of ${max_attempts}`;
const firstLine = (text: string | null): string => (text ?? '').split('\n', 1)[0]?.slice(0, 100) ?? '';
