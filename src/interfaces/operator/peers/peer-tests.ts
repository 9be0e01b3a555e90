/**
 * Tests on demand: a message through a provider, an OPTIONS request to a carrier, or a short call through it. An
 * operator sees whether it works, how long it takes and what it answers.
 */

import { OperatorError } from '../../../base/operator-error.ts';
import { checkCarrierNow } from '../../../business/voice/sip-peers.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { boolean, dateTime, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { sendTestMessage } from '../../verification/delivery/test-message.ts';
import type { VerificationEnvironment } from '../../verification/environment.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween } from '../lookups/shared-filters.ts';
import { lockCarrier, type WhichCarrier } from './carriers.writes.ts';
import { addTest, endTestAfter, requested, storeResult } from './peer-test-records.ts';
import { lockProvider, type WhichProvider } from './providers.writes.ts';
import { requestTestCall } from './test-calls.ts';

const kinds = {
  sms: 'A message through a provider.',
  options: 'An OPTIONS request to a carrier.',
  call: 'A call through a carrier, hung up at once after the answer.',
};

const statuses = {
  waiting: 'A process sends it as soon as it is free.',
  passed: 'The provider took the message, the carrier takes calls, or the called phone rang.',
  failed: 'It did not, or did not say so.',
};

export const peerTests = operatorType('peer_tests', {
  group: 'Carriers and providers',
  noun: 'test',
  title: 'Tests of providers and carriers',
  summary:
    'A test message through a provider, OPTIONS to a carrier, or a short call through it, whatever the routes say, and what came of it. ' +
    'Calls ring a real phone for at most 30 seconds and cost what the carrier charges; there are at most 6 a minute.',
  attributes: {
    kind: text({ values: kinds, doc: 'What is tested.' }),
    destination: text({
      write: 'create',
      nullable: true,
      pattern: '^\\+?[0-9]{8,15}$',
      doc: 'The phone that gets the message of a provider, or the call of a carrier; a carrier is asked with OPTIONS if it is left out.',
    }),
    peer: text({ doc: 'The name of the provider or carrier, also when it is removed.' }),
    status: text({ values: statuses, doc: 'How far it is.' }),
    result: text({ nullable: true, doc: 'What it answered, or why it was not asked.' }),
    milliseconds: integer({ nullable: true, doc: 'How long it took.' }),
    sip_code: integer({ nullable: true, doc: 'The final response to a call.' }),
    answered: boolean({ nullable: true, doc: 'Whether somebody answered the call.' }),
    ring_milliseconds: integer({ nullable: true, doc: 'How long the called phone rang; null if it did not.' }),
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
    kind: anyOf('t.kind', { values: kinds }),
    'provider.id': anyId('t.provider_id'),
    'carrier.id': anyId('t.carrier_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }) =>
    refusing(() => {
      const { provider = null, carrier = null } = relationships;
      if ((provider === null) === (carrier === null)) throw new OperatorError('A test needs a provider or a carrier.');
      const { destination = null } = attributes;
      const acting = actingOf(context);
      if (carrier !== null && destination === null) return requestCarrierTest(acting, { id: carrier.id });
      if (carrier !== null && destination !== null) return requestTestCall(acting, { id: carrier.id }, destination);
      if (destination === null) throw new OperatorError('A test message needs a destination.');
      return requestTest(acting, { id: provider?.id ?? '' }, destination);
    }),
});

const testTask = defineTask<{ test_id: string }>('operator.test_provider', { priority: 'background', outward: true });

/** A process with SIP looks every second, and waits for five seconds for the answer. */
const carrierTestMs = 20_000;

/** Returns the id of the test. */
export function requestTest(acting: Acting, which: WhichProvider, destination: string): Promise<string> {
  return act(acting, async (env) => {
    const { id: providerId, name } = await lockProvider(env, which);
    const tested = {
      kind: 'sms' as const,
      peer: name,
      provider_id: providerId,
      destination: destination.replace('+', ''),
    };
    const id = await addTest(env, acting, tested);
    await env.jobs.add(env.db, testTask, { test_id: id });
    return requested(id, { provider: name });
  });
}

/**
 * Makes the carrier due for a check (b2bua/peer-checks.ts), which stores its result with the test. Returns the id of
 * the test.
 */
export function requestCarrierTest(acting: Acting, which: WhichCarrier): Promise<string> {
  return act(acting, async (env) => {
    const { id: carrierId, name, host } = await lockCarrier(env, which);
    if (host === null) throw new OperatorError(`The carrier ${name} has no host that could be asked.`);
    const id = await addTest(env, acting, { kind: 'options', peer: name, carrier_id: carrierId });
    await checkCarrierNow(env, carrierId);
    await endTestAfter(env, id, carrierTestMs);
    return requested(id, { carrier: name });
  });
}

/** A process that is killed while it sends leaves the job, which sends the test message again. */
export const testProvider = handle(
  testTask,
  async ({ test_id: id }, { env, signal }: TaskContext<VerificationEnvironment>) => {
    const test = await env.db.selectFrom('peer_tests').selectAll().where('id', '=', id).executeTakeFirst();
    if (test === undefined || test.status !== 'waiting') return;
    const began = performance.now();
    const { ok, text: result } = await sendTestMessage(env, test.provider_id ?? '', test.destination ?? '', id, signal);
    const milliseconds = Math.round(performance.now() - began);
    await storeResult(env, id, { status: ok ? 'passed' : 'failed', result, milliseconds });
  },
);
