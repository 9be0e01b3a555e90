/**
 * Calls over real sockets with a tenth of the messages lost on the way to and from both sides. Our own phones call,
 * because sipp under loss takes the repeated 200 of an INVITE for that of a BYE. SIP_SEED repeats the losses, not their
 * order.
 */
import { expect, test } from 'vitest';
import { openLossyRelay } from '../../../test/support/lossy-relay.ts';
import { testSeed } from '../../engines/sip/simulation/seeded-random.fixture.ts';
import { createWorld } from './world.fixture.ts';

const calls = 20;
/** So many are set up at a time: with all of them at once a busy database is too late for some, which are refused. */
const atOnce = 5;

test('every call is answered and ends once on both sides, with one CDR and the events of one call', async () => {
  const seed = testSeed();
  const world = await createWorld();
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const toTrunk = await openLossyRelay(trunk.port, 0.1, seed);
  const toServer = await openLossyRelay(world.endpoint.ports.udp, 0.1, seed + 1);
  const { number, accountId } = await world.number([toTrunk.port]);
  await world.world.env.pool.query('update dids set channels_included_count = $1', [calls]);
  const targets = [{ transport: 'UDP', address: '127.0.0.1', port: toServer.port }] as const;
  const count = (events: readonly string[], event: string) => events.filter((one) => one === event).length;
  const patience = { timeout: 120_000 };
  for (let placed = 0; placed < calls; placed += atOnce) {
    for (let each = 0; each < atOnce; each++) caller.dial(number, { targets });
    const answered = () => count(caller.events, 'answered');
    await expect.poll(answered, { ...patience, message: `seed ${seed}` }).toBe(placed + atOnce);
  }
  for (const session of caller.sessions) session.hangUp();
  await expect.poll(() => count(trunk.events, 'ended remote'), { ...patience, message: `seed ${seed}` }).toBe(calls);
  await expect.poll(() => world.cdrs(number), patience).toHaveLength(calls);
  expect(await world.cdrs(number)).toEqual(
    Array.from({ length: calls }, () => expect.objectContaining({ disconnect_code: 200, success: true, attempt: 1 })),
  );
  expect(await world.eventsByCall(accountId)).toEqual(Array.from({ length: calls }, () => 'in: start connect end'));
  expect(toTrunk.lost + toServer.lost).toBeGreaterThan(0);
  await expect.poll(() => world.switchboard.size).toBe(0);
  for (const relay of [toTrunk, toServer]) relay.close();
  await world.close();
});
