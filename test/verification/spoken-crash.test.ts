/**
 * The process is killed while a phone rings, or while a code is spoken: another one ends the record of the call, and
 * calls nobody twice.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PhoneWishes, type TestPhone, usePhones } from '../support/phones.ts';
import { openVerificationWorld, type Running, type World } from './world.ts';

const openPhone = usePhones();
let world: World;
/** Takes the starts and the reports; it places no calls. */
let survivor: Running;
let numbers = 0;

beforeAll(async () => {
  world = await openVerificationWorld('calls');
  await (await world.start({ TRUNKLINE_ROLES: 'api' })).process.stop();
  await world.query(`update verification_settings set settings = '{"callerNumber": "4930100"}'`);
  survivor = await world.start({ TRUNKLINE_ROLES: 'api' });
});
afterAll(() => world.close());

const caller = { TRUNKLINE_ROLES: 'worker', TRUNKLINE_SIP_PORT: '0' };
const patience = { timeout: 60_000, interval: 100 };
const lost = { outcome: null, cost: null, reason: 'the process that placed the call was killed' };

/** A phone behind a carrier of its own, and a verification that calls it. */
async function called(wishes: PhoneWishes) {
  const opened = await openPhone(wishes);
  const destination = `49153${String(++numbers).padStart(8, '0')}`;
  await world.query(
    `with carrier as (insert into carriers (name, host, port, created_at) values ($1, $2, $3, now()) returning id)
     insert into carrier_routes (carrier_id, prefix, priority, weight) select id, $1, 1, 1 from carrier`,
    [destination, opened.target.address, opened.target.port],
  );
  const begun = await survivor.client.start({
    ...{ destination, delivery_method: 'callout', callout: { languages: ['en-US'] } },
  });
  return { ...opened, id: begun.body.data?.id ?? '' };
}

const callsOf = (id: string) =>
  world.query('select outcome, cost, reason, ended_at from verification_calls where verification_id = $1', [id]);
const statusOf = async (id: string) => (await survivor.client.status(id)).body.data;
const ringsOf = ({ events }: TestPhone) => events.filter(({ event }) => event === 'incoming').length;

test('while one code is spoken and another phone rings: each record ends once, nobody is called again', async () => {
  const speaking = await called({ answerAfterMs: 0 });
  const ringing = await called({ answerAfterMs: null });
  const { process: doomed } = await world.start(caller);
  await Promise.all([speaking.until('answered'), ringing.until('incoming')]);
  await expect.poll(async () => (await world.settled(speaking.id)).dispatched_at, patience).toBeInstanceOf(Date);
  expect(await callsOf(speaking.id)).toMatchObject([{ ended_at: null }]);
  await doomed.stop('SIGKILL');

  const { process: second } = await world.start(caller);
  const endedOnce = [{ ...lost, ended_at: expect.any(Date) }];
  for (const { id } of [speaking, ringing]) await expect.poll(() => callsOf(id), patience).toMatchObject(endedOnce);
  await second.stop();
  // The code that was spoken can be reported; the other one may have been heard.
  expect(await statusOf(speaking.id)).toMatchObject({ status: 'pending' });
  expect(await world.settled(ringing.id)).toMatchObject({ status: 'pending', dispatch_in_doubt: true });
  const ended = [await callsOf(speaking.id), await callsOf(ringing.id)];

  // The two minutes in which a code that was heard could still prove itself.
  await world.query(`update jobs set run_at = now() where payload->>'verification_id' = $1 and run_at > now()`, [
    ringing.id,
  ]);
  await world.start(caller);
  await expect
    .poll(() => statusOf(ringing.id), patience)
    .toMatchObject({ status: 'failed', error_code: 'stale_dispatch' });
  expect(await statusOf(speaking.id)).toMatchObject({ status: 'pending' });
  expect([await callsOf(speaking.id), await callsOf(ringing.id)]).toEqual(ended);
  expect([ringsOf(speaking), ringsOf(ringing)]).toEqual([1, 1]);
});
