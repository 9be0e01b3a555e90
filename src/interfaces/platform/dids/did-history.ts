/** The history of numbers: recorded, shown, and deleted after 90 days. */
import { type Kysely, sql } from 'kysely';
import type { Actor } from '../../../base/actor.ts';
import { monthIsOld } from '../../../engines/db/months.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { DidAction, DidMethod } from '../../../engines/db/tables/dids.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { dateTime, text } from '../../../engines/jsonapi/attributes.ts';
import { anyId, anyOf, since, until } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { byCreationDescending, countsByDay } from '../owned-counts.ts';

/** Also in the database's `activate_order_numbers`. */
const historyDays = 90;

const actions = {
  assigned: 'The account got the number.',
  renewed: 'It was paid for another month.',
  canceled: 'It was terminated.',
  removed: 'It left the account.',
  billing_cycles_count_changed: 'The number of months left was changed; `meta` has the values.',
  restored: 'A termination was taken back.',
};
const methods = {
  system: 'The platform itself.',
  api2: 'Version 2 of the API.',
  api3: 'This API.',
  staff: 'The operator.',
  user_panel: 'The web panel.',
  mcp: 'An assistant over MCP.',
};
/** The earliest entry that is shown. */
const shownSince = (now: Date): Date => new Date(now.getTime() - historyDays * 86_400_000);

const maxAge = { days: historyDays, refusal: `Date must be within the last ${historyDays} days.` };

export const didHistory = owned('did_history', {
  group: 'DIDs',
  noun: ['event of a number', 'what happened to numbers'],
  summary: 'What happened to numbers of the account in the last 90 days.',
  attributes: {
    did_number: text({ nullable: true, pattern: '^[0-9]+$', doc: 'The number it happened to.' }),
    action: text({ values: actions, doc: 'What happened.' }),
    method: text({ values: methods, doc: 'Who or what did it.' }),
    created_at: dateTime({ doc: 'When it happened.' }),
  },
  meta: {
    from: { type: 'string|null', doc: 'The value before the change.', column: 't.value_from' },
    to: { type: 'string|null', doc: 'The value after it.', column: 't.value_to' },
  },
  metaWhen: { action: 'billing_cycles_count_changed' },
  filters: {
    id: anyId('t.id'),
    did_number: anyOf('t.did_number', { single: true }),
    action: anyOf('t.action', { single: true, values: actions }),
    method: anyOf('t.method', { single: true, values: methods }),
    created_at_gteq: since('t.created_at', { maxAge }),
    created_at_lteq: until('t.created_at', { maxAge }),
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  counts: countsByDay('did_history', {
    table: 'did_history',
    since: shownSince,
    filters: ['action', 'method'],
    ranges: byCreationDescending,
  }),
  visible: ({ now }, params) => `t.created_at >= ${params.add(shownSince(now))}`,
});

/** How the history of numbers names the kind of actor. */
export const methodOf = ({ kind }: Actor): DidMethod => methodsByKind[kind];

const methodsByKind: Readonly<Record<Actor['kind'], DidMethod>> = {
  api_key: 'api3',
  application: 'api3',
  session: 'user_panel',
  operator: 'staff',
  named: 'staff',
  job: 'system',
};

interface HistoryEntry {
  accountId: string;
  number: string;
  action: DidAction;
  method: DidMethod;
  /** Values of billing_cycles_count_changed. */
  from?: string;
  to?: string;
}

/** Records changes of numbers. */
export async function recordHistory(
  trx: Kysely<Schema>,
  env: Environment,
  entries: readonly HistoryEntry[],
  at: Date,
): Promise<void> {
  if (entries.length === 0) return;
  const { rows } = await sql<{ made: boolean }>`
    select ensure_month_partition('did_history', ${at}) as made`.execute(trx);
  if (rows[0]?.made === true) await env.jobs.add(trx, forgetHistoryTask, {}, { at: monthIsOld(at, historyDays) });
  // Passed as arrays, because an order may have more numbers than a statement may have parameters.
  const column = (read: (entry: HistoryEntry) => string | null) => entries.map(read);
  await sql`
    insert into did_history (account_id, did_number, action, method, value_from, value_to, created_at)
    select h.*, ${at}::timestamptz from unnest(
      ${column(({ accountId }) => accountId)}::uuid[], ${column(({ number }) => number)}::text[],
      ${column(({ action }) => action)}::text[], ${column(({ method }) => method)}::text[],
      ${column(({ from }) => from ?? null)}::text[], ${column(({ to }) => to ?? null)}::text[]) as h
  `.execute(trx);
}

const forgetHistoryTask = defineTask('dids.forget_history', { priority: 'background' });

/** Drops the months whose last row is older than 90 days; until then older rows are hidden. */
export const forgetHistory = handle(forgetHistoryTask, async (_payload, { env }) => {
  const before = shownSince(env.clock.now());
  await sql`select drop_month_partitions('did_history', ${before})`.execute(env.db);
  // Each of its counts is of a day, or of a part of one.
  await sql`
    delete from owned_counts where list = 'did_history' and substring(part from '[0-9]{4}-[0-9]{2}-[0-9]{2}') < ${before.toISOString().slice(0, 10)}
  `.execute(env.db);
});
