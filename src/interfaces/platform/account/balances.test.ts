/** The balance is read for every request; requests that wait together share one statement. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/support/server.ts';
import { statementsDuring } from '../../../../test/support/statements.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer({ account: { balance: '5' } }));

const balanceOf = async (client = server.client): Promise<unknown> =>
  (await client.get('/balance')).resource.attributes.balance;

test('a request after a commit shows the change, while others are under way', async () => {
  for (let n = 10; n < 16; n += 1) {
    const before = Array.from({ length: 5 }, () => balanceOf());
    await server.env.pool.query('update accounts set credit = $1 where id = $2', [n, server.accountId]);
    const { resource } = await server.client.get('/balance');
    expect(resource.attributes).toMatchObject({ credit: `${n}.00`, total_balance: `${n + 5}.00` });
    expect(await Promise.all(before)).toEqual(before.map(() => '5.00'));
  }
});

test('requests that wait together share a statement, each account its own', async () => {
  const other = await server.addAccount({ balance: '7' });
  await Promise.all([balanceOf(), balanceOf(other.client)]);
  let arrived = 0;
  server.app.server.on('request', () => {
    arrived += 1;
  });
  const blocker = await server.env.pool.connect();
  const statements = await statementsDuring(server.env.pool, async () => {
    await blocker.query('begin; lock table accounts in access exclusive mode');
    const own = Array.from({ length: 8 }, () => balanceOf());
    const others = Array.from({ length: 8 }, () => balanceOf(other.client));
    await expect.poll(() => arrived).toBe(16);
    await blocker.query('commit');
    expect(await Promise.all(own)).toEqual(own.map(() => '5.00'));
    expect(await Promise.all(others)).toEqual(others.map(() => '7.00'));
  });
  blocker.release();
  const reads = statements.filter(({ text }) => text.includes('from accounts t'));
  // Four of an account are worked on together while others are here: of each four one that ran when they came, and one
  // for all that waited.
  expect(reads.length).toBeLessThanOrEqual(8);
});
