/** Test messages through a provider: an operator sees whether it works, how long it takes and what it answers. */
import { randomUUID } from 'node:crypto';
import type { Environment } from '../../environment.ts';
import { handle } from '../../jobs/handler.ts';
import { defineTask } from '../../jobs/task.ts';
import { dateTime, integer, text } from '../../jsonapi/attributes.ts';
import { toOne } from '../../jsonapi/declare.ts';
import { anyId, anyOf } from '../../jsonapi/filters.ts';
import type { Linkage } from '../../jsonapi/linkage.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';
import { OperatorError } from '../../operator-error.ts';
import { sendTestMessage } from '../../verification/delivery/test-message.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween } from '../lookups/common.ts';
import { lockProvider, type WhichProvider } from './providers.writes.ts';

const statuses = {
  waiting: 'A worker sends it as soon as it is free.',
  passed: 'The provider took the message.',
  failed: 'It did not, or did not say so.',
};

export const peerTests = operatorType('peer_tests', {
  group: 'Carriers and providers',
  noun: 'provider test',
  title: 'Tests of providers',
  summary: 'A test message through a provider, whatever the routes say, and what came of it.',
  attributes: {
    destination: text({
      write: 'create',
      required: true,
      pattern: '^\\+?[0-9]{8,15}$',
      doc: 'The phone that gets it.',
    }),
    peer: text({ doc: 'The name of the provider, also when it is removed.' }),
    status: text({ values: statuses, doc: 'How far it is.' }),
    result: text({ nullable: true, doc: 'What the provider answered, or why it was not asked.' }),
    milliseconds: integer({ nullable: true, doc: 'How long it took.' }),
    actor: text({ doc: 'Who asked for it.' }),
    created_at: dateTime({ doc: 'When.' }),
    finished_at: dateTime({ nullable: true, doc: 'When the result was known.' }),
  },
  relationships: {
    provider: toOne('providers', { write: 'create', required: true, nullable: true, doc: 'Who is tested.' }),
  },
  filters: {
    status: anyOf('t.status', { values: statuses }),
    'provider.id': anyId('t.provider_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }: WriteInput<{ destination: string }, { provider: Linkage | null }>) =>
    refusing(() => requestTest(actingOf(context), { id: relationships.provider?.id ?? '' }, attributes.destination)),
});

const testTask = defineTask<{ test_id: string }>('operator.test_provider', { priority: 'background', outward: true });

/** Returns the id of the test. */
export function requestTest(acting: Acting, which: WhichProvider, destination: string): Promise<string> {
  if ('id' in which && which.id === '') throw new OperatorError('A test needs a provider.');
  return act(acting, async (env) => {
    const { id: providerId, name } = await lockProvider(env, which);
    const [id, now] = [randomUUID(), env.clock.now()];
    const row = { id, kind: 'sms' as const, provider_id: providerId, peer: name, status: 'waiting' as const };
    await env.db
      .insertInto('peer_tests')
      .values({ ...row, destination: destination.replace('+', ''), actor: acting.by.actor, created_at: now })
      .execute();
    await env.jobs.add(env.db, testTask, { test_id: id });
    const subject = { type: 'peer_tests', id };
    return { result: id, action: 'peer_test.requested', accountId: null, subject, after: { provider: name } };
  });
}

/** A process that is killed while it sends leaves the job, which sends the test message again. */
export const testProvider = handle(testTask, async ({ test_id: id }, { env, signal }) => {
  const test = await env.db.selectFrom('peer_tests').selectAll().where('id', '=', id).executeTakeFirst();
  if (test === undefined || test.status !== 'waiting') return;
  const { outcome, milliseconds } = await timed(() =>
    sendTestMessage(env, test.provider_id ?? '', test.destination ?? '', id, signal),
  );
  const result = { status: outcome.ok ? ('passed' as const) : ('failed' as const), result: outcome.text };
  await store(env, id, { ...result, milliseconds });
});

async function timed<T>(work: () => Promise<T>): Promise<{ outcome: T; milliseconds: number }> {
  const began = performance.now();
  const outcome = await work();
  return { outcome, milliseconds: Math.round(performance.now() - began) };
}

async function store(
  { db, clock }: Environment,
  id: string,
  result: { status: 'passed' | 'failed'; result: string; milliseconds: number },
): Promise<void> {
  await db
    .updateTable('peer_tests')
    .set({ ...result, finished_at: clock.now() })
    .where('id', '=', id)
    .execute();
}
