/** The jobs of the queue: looked up, run again, removed. */

import { queueSql } from '../../engines/jobs/inspect.ts';
import { dateTime, integer, plainObject, text } from '../../engines/jsonapi/attributes.ts';
import { anyInteger, anyOf } from '../../engines/jsonapi/filters.ts';
import { actingOf, operatorType, refusing } from './context.ts';
import { between, endless } from './lookups/shared-filters.ts';
import { discardJob, retryJob } from './queue.writes.ts';
import { requireRetry, retryMembers } from './retry-members.ts';

const states = {
  failed: 'Tried as often as allowed, and left alone since.',
  due: 'Runs as soon as a worker is free.',
  running: 'Runs now.',
  scheduled: 'Runs later.',
};

/** Ids of the interface are UUIDs; the last twelve digits of this one are the number of the job. */
const idStart = '00000000-0000-4000-8000-';

export const jobs = operatorType('jobs', {
  group: 'Jobs and callbacks',
  noun: 'job',
  deleteVerb: 'Discard',
  summary: 'One piece of work in the queue.',
  from: `(${queueSql}) t`,
  idColumn: `('${idStart}' || lpad(to_hex(t.id), 12, '0'))::uuid`,
  tieBreak: 't.id desc',
  ...endless,
  attributes: {
    number: integer({ column: 't.id', doc: 'Its number on the command line.' }),
    task: text({ doc: 'What kind of work, such as `orders.fulfil`.' }),
    state: text({ values: states, doc: 'What it waits for.' }),
    attempts: integer({ doc: 'How often it was run.' }),
    max_attempts: integer({ doc: 'How often it may be run.' }),
    payload: plainObject('job_payload', {}, { doc: 'What it is about.' }),
    last_error: text({ nullable: true, doc: 'Why the last run failed.' }),
    run_at: dateTime({ doc: 'When it falls, or fell, due.' }),
    created_at: dateTime({ doc: 'When it was added.' }),
    ...retryMembers('run a job that gave up again, with all its attempts.'),
  },
  filters: {
    number: anyInteger('t.id'),
    task: anyOf('t.task'),
    state: anyOf('t.state', { values: states }),
    ...between('run_at', 't.run_at'),
  },
  sort: ['run_at', 'created_at'],
  defaultSort: '-run_at',
  update: (context, id, { attributes }) =>
    refusing(async () => {
      requireRetry(attributes);
      await retryJob(actingOf(context, attributes.reason), numberOf(id));
    }),
  delete: (context, id) => refusing(() => discardJob(actingOf(context), numberOf(id))),
});

const numberOf = (id: string): string => String(Number.parseInt(id.slice(idStart.length), 16));
