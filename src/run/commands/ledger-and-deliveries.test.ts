/** Commands for top-ups, for checking the books, and for callbacks. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { execute, run } from '../../../test/support/commands.ts';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { didItem } from '../../../test/support/requests.ts';
import { openShop, type Shop } from '../../../test/support/shop.ts';
import { connectionOf } from '../../engines/db/pool.ts';
import { ledgerCommands } from './ledger.ts';

let shop: Shop;
beforeAll(async () => {
  // Commands go by the machine's clock, and only what is recent is listed.
  shop = await openShop({ account: { name: 'Acme', balance: '10' }, at: new Date().toISOString() });
  vi.stubEnv('SANDBOX_DATABASE_URL', connectionOf(shop.env.pool));
  vi.stubEnv('TRUNKLINE_SERVER_KEY', shop.env.serverKey.reveal());
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await shop.close();
});

test('a top-up is booked once per payment', async () => {
  expect(await run('account top-up', 'Acme', '25.50')).toEqual(['Acme has 35.50 now.']);
  const reference = randomUUID();
  await run('account top-up', 'Acme', '1', '--reference', reference);
  await expect(run('account top-up', 'Acme', '1', '--reference', reference)).rejects.toThrow('booked already');
  expect(await shop.getBalance()).toBe('36.50');
});

test('a balance is corrected with a reason, also below zero', async () => {
  const before = await shop.getBalance();
  await expect(run('account debit', 'Acme', '1')).rejects.toThrow('--reason is missing.');
  await expect(run('account debit', 'Acme', '0', '--reason', 'x')).rejects.toThrow('an amount above zero');
  expect(await shop.getBalance()).toBe(before);
  expect(await run('account debit', 'Acme', '40.25', '--reason', 'chargeback')).toEqual(['Acme has -3.75 now.']);
  expect(await run('account credit', 'Acme', '40.25', '--reason', 'it was not')).toEqual([`Acme has ${before} now.`]);
  const { rows } = await shop.env.pool.query('select kind, amount, reason from adjustments order by created_at');
  expect(rows).toMatchObject([
    { kind: 'debit', amount: '40.2500', reason: 'chargeback' },
    { kind: 'credit', amount: '40.2500', reason: 'it was not' },
  ]);
});

test.each([
  [['Nobody', '1'], 'There is no account "Nobody"'],
  [['Acme', '0'], 'AMOUNT must be an amount above zero, such as 25 or 25.50, not'],
  [['Acme', '--', '-5'], 'AMOUNT must be an amount above zero, such as 25 or 25.50, not'],
  [['Acme', '1.23456'], 'AMOUNT must be an amount above zero, such as 25 or 25.50, not'],
  [['Acme', '1', '--reference', 'x'], '--reference must be a UUID, not "x".'],
])('a top-up of %j is refused', async (args, message) => {
  const words = args.includes('--') ? ['--env', 'sandbox', ...args] : [...args, '--env', 'sandbox'];
  await expect(execute('account top-up', ...words)).rejects.toThrow(message);
});

test('the books are proven, and what is off is named and fails the command', async () => {
  expect((await run('ledger verify')).every((line) => line.startsWith('ok '))).toBe(true);
  await shop.env.pool.query(`alter table accounts disable trigger accounts_balance_updated`);
  await shop.env.pool.query('update accounts set balance = balance + 1');
  const lines: string[] = [];
  const verify = ledgerCommands.find(({ name }) => name === 'ledger verify');
  const failing = verify?.execute(['--env', 'sandbox'], (line) => lines.push(line));
  await expect(failing).rejects.toThrow('1 of ');
  expect(lines.filter((line) => line.startsWith('OFF'))).toEqual(['OFF  every balance is the sum of its entries']);
  await shop.env.pool.query('update accounts set balance = balance - 1');
  await shop.env.pool.query(`alter table accounts enable trigger accounts_balance_updated`);
});

test('callbacks are listed, shown with their attempts, and sent again', async () => {
  const receiver = await startReceiver();
  const callback = { callback_url: `http://me:secret@${new URL(receiver.url).host}/hook`, callback_method: 'post' };
  await shop.stock('london', 1);
  const order = await shop.postOrder([didItem({ sku_id: shop.skus.london })], callback);
  await runDueJobs(shop.env);
  const listed = await run('deliveries list', '--account', 'Acme', '--status', 'delivered');
  expect(listed).toHaveLength(2);
  expect(listed.join('\n')).not.toContain('secret');
  const id = listed[1]?.split(' ')[0] ?? '';
  const shown = (await run('deliveries show', id)).join('\n');
  expect(shown).toContain(`orders ${order.resource.id} delivered`);
  expect(shown).toContain('"answer 1 ');
  await run('deliveries replay', id);
  await advanceClock(shop.env, 3600);
  expect(receiver.received).toHaveLength(2);
  await expect(run('deliveries show', randomUUID())).rejects.toThrow('There is no delivery');
  await expect(run('deliveries replay', 'x')).rejects.toThrow('There is no delivery');
  await expect(run('deliveries list', '--status', 'lost')).rejects.toThrow('--status must be "pending" or');
  await receiver.close();
});
