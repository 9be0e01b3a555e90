/** The process is killed while a phone rings, or while a code is spoken: another one ends the record of the call, and calls nobody twice. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PhoneWishes, usePhones } from '../support/phones.ts';
import { openVerificationWorld, type Running, type World } from './world.ts';

const openPhone = usePhones();
let world: World;
/** Takes the starts and the reports; it places no calls. */
let survivor: Running;
let numbers = 0;

beforeAll(async () => {
  world = await openVerificationWorld('calls');
  survivor = await world.start({ TRUNKLINE_ROLES: 'api' });
});
afterAll(() => world.close());

const caller = { TRUNKLINE_ROLES: 'worker', TRUNKLINE_SIP_PORT: '0' };
const patience = { timeout: 60_000, interval: 100 };
const lost = { outcome: null, cost: null, reason: 'the process that placed the call was killed' };

/** A phone behind a carrier of its own; the verification that calls it; and the process that does. */
async function calledBy(wishes: PhoneWishes) {
  const opened = await openPhone(wishes);
  const destination = `49153${String(++numbers).padStart(8, '0')}`;
  await world.query(
    `with carrier as (insert into carriers (name, host, port, created_at) values ($1, $2, $3, now()) returning id)
     insert into carrier_routes (carrier_id, prefix, priority, weight) select id, $1, 1, 1 from carrier`,
    [destination, opened.target.address, opened.target.port],
  );
  const { process: doomed } = await world.start(caller);
  const begun = await survivor.client.start({
    ...{ destination, delivery_method: 'callout', callout: { languages: ['en-US'] } },
  });
  const id = begun.body.data?.id ?? '';
  return { ...opened, id, doomed };
}

const callsOf = (id: string) =>
  world.query('select outcome, cost, reason, ended_at from verification_calls where verification_id = $1', [id]);

async function takenOver(id: string): Promise<void> {
  const { process } = await world.start(caller);
  await expect.poll(() => callsOf(id), patience).toMatchObject([{ ...lost, ended_at: expect.any(Date) }]);
  await process.stop();
}

test('while the code is spoken: the record ends once, the code can be reported, and nobody is called again', async () => {
  const { id, doomed, until, events } = await calledBy({ answerAfterMs: 0 });
  await until('answered');
  await expect.poll(async () => (await world.settled(id)).dispatched_at, patience).toBeInstanceOf(Date);
  expect(await callsOf(id)).toMatchObject([{ ended_at: null }]);
  await doomed.stop('SIGKILL');
  await takenOver(id);
  expect((await survivor.client.status(id)).body.data).toMatchObject({ status: 'pending' });
  expect(events.filter(({ event }) => event === 'incoming')).toHaveLength(1);
  const [ended] = await callsOf(id);
  await takenOver(id);
  expect(await callsOf(id)).toEqual([ended]);
});

test('while the phone rings: the record ends once, nobody is called again, and the verification fails when its time is over', async () => {
  const { id, doomed, until, events } = await calledBy({ answerAfterMs: null });
  await until('incoming');
  await doomed.stop('SIGKILL');
  await takenOver(id);
  expect(await world.settled(id)).toMatchObject({ status: 'pending', dispatch_in_doubt: true });
  expect(events.filter(({ event }) => event === 'incoming')).toHaveLength(1);
  // The two minutes in which a code that was heard could still prove itself.
  await world.query(
    `update graphile_worker._private_jobs set run_at = now() where payload->>'verification_id' = $1 and run_at > now()`,
    [id],
  );
  const { process } = await world.start(caller);
  await expect
    .poll(async () => (await survivor.client.status(id)).body.data, patience)
    .toMatchObject({ status: 'failed', error_code: 'stale_dispatch' });
  await process.stop();
});
