/** Retrying or discarding all jobs or callbacks of a time; each request is kept with how many it reached. */
import { dateTime, integer, text } from '../../engines/jsonapi/attributes.ts';
import { toOne } from '../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../engines/jsonapi/filters.ts';
import { inBulkSlot } from './bulk-slots.ts';
import { actingOf, operatorType, refusing } from './context.ts';
import { createdBetween } from './lookups/shared-filters.ts';
import { actInBulk } from './queue.writes.ts';

const subjects = { jobs: 'Jobs that gave up.', deliveries: 'Callbacks.' };
const actions = {
  retry: 'Run, or send, again. Callbacks: those that failed or were dropped.',
  discard: 'Never do it. Callbacks: those that are still to be sent.',
};

export const bulkActions = operatorType('bulk_actions', {
  group: 'Jobs and callbacks',
  noun: 'bulk action',
  summary: 'Retries or discards all jobs or callbacks of a time, at most 10,000 callbacks at once.',
  attributes: {
    subject: text({ write: 'create', required: true, values: subjects, doc: 'Which of them.' }),
    action: text({ write: 'create', required: true, values: actions, doc: 'What is done.' }),
    task: text({ write: 'create', nullable: true, doc: 'Only jobs of this task.' }),
    since: dateTime({
      write: 'create',
      nullable: true,
      doc: 'Due (jobs) or created (callbacks) at this time or later.',
    }),
    until: dateTime({ write: 'create', nullable: true, doc: 'Due or created at this time or earlier.' }),
    reason: text({ write: 'create', required: true, doc: 'Why.' }),
    count: integer({ doc: 'How many there were.' }),
    actor: text({ doc: 'Who did it.' }),
    created_at: dateTime({ doc: 'When.' }),
  },
  relationships: {
    account: toOne('accounts', { write: 'create', nullable: true, doc: 'Only callbacks of this customer.' }),
  },
  filters: {
    subject: anyOf('t.subject', { values: subjects }),
    action: anyOf('t.action', { values: actions }),
    actor: anyOf('t.actor'),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  create: async (context, { attributes, relationships }) => {
    const { since, until, ...wanted } = attributes;
    const time = (text: string | null | undefined) => (text == null ? null : new Date(text));
    const choice = { accountId: relationships.account?.id ?? null, since: time(since), until: time(until) };
    const act = () => refusing(() => actInBulk(actingOf(context), { ...wanted, ...choice }));
    return (await inBulkSlot(context.env, act)).id;
  },
});
