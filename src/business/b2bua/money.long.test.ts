/** Real calls that run out of money: cut on time with their cause, however many run side by side. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useOpened } from '../../../test/support/use.ts';
import { SimulatedTimers } from '../../engines/sip/simulation/simulated-timers.fixture.ts';
import { parseAmount } from '../money/decimal.ts';
import { callingOut } from './calling-out.fixture.ts';
import { createWorld } from './world.fixture.ts';

const timers = new SimulatedTimers();
const world = useOpened(() => createWorld({ timers }));

const accountOf = (id: string) =>
  world.world.env.db.selectFrom('accounts').select(['balance', 'held']).where('id', '=', id).executeTakeFirstOrThrow();

/**
 * Lets the time of calls pass until none is up. It stands while a call waits for the database, however long that takes.
 */
async function passTime(seconds: number): Promise<void> {
  const { pool } = world.world.env;
  for (let second = 0; second < seconds && world.switchboard.size > 0; second++) {
    timers.advance(1_000);
    // What fell due has put its questions by the turn after next.
    do for (let turn = 0; turn < 3; turn++) await nextTurn();
    while (pool.waitingCount > 0 || pool.totalCount > pool.idleCount);
  }
}

test('ten calls at once spend the balance and no more; each is hung up with 402 on both sides', async () => {
  const accountId = await world.telephony.account({ balance: '1.00' });
  const { call, customer, carrier } = await callingOut(world, { accountId });
  for (let calls = 0; calls < 10; calls++) call();
  await expect.poll(() => customer.events.filter((event) => event === 'answered').length).toBe(10);
  await passTime(600);
  await expect.poll(() => world.switchboard.size).toBe(0);
  await expect.poll(async () => (await world.cdrsOut(accountId)).length).toBe(10);
  const cdrs = await world.cdrsOut(accountId);
  expect(
    new Set(cdrs.map(({ disconnect_code, disconnect_reason }) => `${disconnect_code} ${disconnect_reason}`)),
  ).toEqual(new Set(['402 Balance too low']));
  const { balance, held } = await accountOf(accountId);
  const spent = cdrs.reduce((sum, { price }) => sum + parseAmount(String(price)), 0n);
  expect(parseAmount(balance)).toBe(parseAmount('1.00') - spent);
  expect(parseAmount(balance)).toBeGreaterThanOrEqual(0n);
  expect(parseAmount(balance)).toBeLessThan(parseAmount('0.60'));
  expect(held).toBe('0.0000');
  for (const phone of [customer, carrier]) {
    await expect.poll(() => phone.requests.filter(({ method }) => method === 'BYE').length).toBe(10);
    const bye = phone.requests.find(({ method }) => method === 'BYE');
    expect(bye?.headers.first('Reason')).toContain('402');
  }
});

test('a call whose account gets money in time goes on', async () => {
  const accountId = await world.telephony.account({ balance: '0.07' });
  const { call, customer } = await callingOut(world, { accountId });
  call();
  await expect.poll(() => customer.events).toEqual(['180', 'answered']);
  await world.world.env.pool.query(
    `select post_ledger($1, 'top_up', gen_random_uuid(), '', null, null, $2, array['customer', 'funding'], array[1, -1])`,
    [accountId, world.world.clock.now()],
  );
  timers.advance(4_500);
  await expect.poll(async () => parseAmount((await accountOf(accountId)).held)).toBeGreaterThan(parseAmount('0.06'));
  expect(customer.events).toEqual(['180', 'answered']);
  customer.sessions[0]?.hangUp();
  await expect.poll(() => world.cdrsOut(accountId)).toMatchObject([{ disconnect_code: 200 }]);
});
