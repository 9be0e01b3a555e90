/**
 * Tests on demand: a message through a provider, or an OPTIONS request to a carrier. An operator sees whether it works, how long it
 * takes and what it answers.
 */
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
import { checkCarrierNow } from '../../voice/sip-peers.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween } from '../lookups/common.ts';
import { lockCarrier, type WhichCarrier } from './carriers.writes.ts';
import { lockProvider, type WhichProvider } from './providers.writes.ts';

const statuses = {
  waiting: 'A process sends it as soon as it is free.',
  passed: 'The provider took the message, or the carrier takes calls.',
  failed: 'It did not, or did not say so.',
};

export const peerTests = operatorType('peer_tests', {
  group: 'Carriers and providers',
  noun: 'test',
  title: 'Tests of providers and carriers',
  summary: 'A test message through a provider, whatever the routes say, or OPTIONS to a carrier, and what came of it.',
  attributes: {
    destination: text({
      write: 'create',
      nullable: true,
      pattern: '^\\+?[0-9]{8,15}$',
      doc: 'The phone that gets the message of a provider; left out for a carrier.',
    }),
    peer: text({ doc: 'The name of the provider or carrier, also when it is removed.' }),
    status: text({ values: statuses, doc: 'How far it is.' }),
    result: text({ nullable: true, doc: 'What it answered, or why it was not asked.' }),
    milliseconds: integer({ nullable: true, doc: 'How long it took.' }),
    actor: text({ doc: 'Who asked for it.' }),
    created_at: dateTime({ doc: 'When.' }),
    finished_at: dateTime({ nullable: true, doc: 'When the result was known.' }),
  },
  relationships: {
    provider: toOne('providers', { write: 'create', nullable: true, doc: 'The provider that is tested.' }),
    carrier: toOne('carriers', { write: 'create', nullable: true, doc: 'The carrier that is tested.' }),
  },
  filters: {
    status: anyOf('t.status', { values: statuses }),
    'provider.id': anyId('t.provider_id'),
    'carrier.id': anyId('t.carrier_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }: WriteInput<{ destination?: string | null }, SentPeers>) =>
    refusing(() => {
      const { provider = null, carrier = null } = relationships;
      if ((provider === null) === (carrier === null)) throw new OperatorError('A test needs a provider or a carrier.');
      if (carrier !== null) return requestCarrierTest(actingOf(context), { id: carrier.id });
      if (attributes.destination == null) throw new OperatorError('A test message needs a destination.');
      return requestTest(actingOf(context), { id: provider?.id ?? '' }, attributes.destination);
    }),
});

type SentPeers = { provider?: Linkage | null; carrier?: Linkage | null };

const testTask = defineTask<{ test_id: string }>('operator.test_provider', { priority: 'background', outward: true });

const endCarrierTestTask = defineTask<{ test_id: string }>('operator.end_carrier_test', { priority: 'background' });
/** A process with SIP looks every second, and waits for five seconds for the answer. */
const carrierTestMs = 20_000;

/** Returns the id of the test. */
export function requestTest(acting: Acting, which: WhichProvider, destination: string): Promise<string> {
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

/** Makes the carrier due for a check (b2bua/peer-checks.ts), which stores its result with the test. Returns the id of the test. */
export function requestCarrierTest(acting: Acting, which: WhichCarrier): Promise<string> {
  return act(acting, async (env) => {
    const { id: carrierId, name, host } = await lockCarrier(env, which);
    if (host === null) throw new OperatorError(`The carrier ${name} has no host that could be asked.`);
    const [id, now] = [randomUUID(), env.clock.now()];
    const row = { id, kind: 'options' as const, carrier_id: carrierId, peer: name, status: 'waiting' as const };
    await env.db
      .insertInto('peer_tests')
      .values({ ...row, actor: acting.by.actor, created_at: now })
      .execute();
    await checkCarrierNow(env, carrierId);
    const at = new Date(now.getTime() + carrierTestMs);
    await env.jobs.add(env.db, endCarrierTestTask, { test_id: id }, { at });
    const subject = { type: 'peer_tests', id };
    return { result: id, action: 'peer_test.requested', accountId: null, subject, after: { carrier: name } };
  });
}

export const endCarrierTest = handle(endCarrierTestTask, async ({ test_id: id }, { env }) => {
  await env.db
    .updateTable('peer_tests')
    .set({ status: 'failed', result: 'no process with SIP has asked it', finished_at: env.clock.now() })
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .execute();
});

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
