/** What open starts may cost together, and what is charged when. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSmsc } from '../../../test/support/smsc.ts';
import type { VerificationClient } from '../../../test/support/verification-client.ts';
import { startVerificationServer, type VerificationServer } from '../../../test/support/verification-server.ts';
import { updateAccount } from '../../business/accounts/accounts.ts';
import { verifyLedger } from '../../business/money/ledger-checks.ts';
import { saveProvider, saveRoute } from './delivery/manage-providers.ts';
import { closeProviders } from './delivery/opened-providers.ts';
import { setRate } from './prices.ts';

/** A verified number costs 0.05, as shipped. */
let server: VerificationServer;
let client: VerificationClient;
beforeEach(async () => {
  server = await startVerificationServer({ name: 'production', balance: '0.06' });
  client = await server.client();
});
afterEach(() => server.close());

const start = async (number: number) =>
  (await client.start({ destination: `49151${String(number).padStart(8, '0')}`, delivery_method: 'sms' })).status;
const balance = async () =>
  (await server.env.db.selectFrom('accounts').select('balance').executeTakeFirstOrThrow()).balance;
const offences = async () => (await verifyLedger(server.env.db)).filter((check) => check.offences.length > 0);

it('lets only as many starts be open as the balance covers, also of twenty at once, and moves nothing', async () => {
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, number) => start(number)));
  expect(statuses.sort()).toEqual([201, ...Array.from({ length: 19 }, () => 402)]);
  expect(await start(30)).toBe(402);
  expect(await balance()).toBe('0.0600');
});

it('takes no account of a start that is over, or that the new one supersedes', async () => {
  expect(await start(1)).toBe(201);
  server.clock.advance(31);
  expect(await start(1)).toBe(201);
  expect(await start(2)).toBe(402);
  server.clock.advance(600);
  expect(await start(2)).toBe(201);
});

it('quotes what this account pays, where its price is adjusted', async () => {
  const [adjustment, at] = [{ account_id: server.accountId, actor: 'test' }, server.clock.now()];
  const prices = [
    { ...adjustment, product: 'verification', percent: '-50', created_at: at, updated_at: at } as const,
    { ...adjustment, product: 'verification_message', fixed: '0.01', created_at: at, updated_at: at } as const,
  ];
  await server.env.db.insertInto('price_adjustments').values(prices).execute();
  const { body } = await client.start({ destination: '4915112345678', delivery_method: 'sms' });
  expect(body.data?.fee).toBe('0.025');
  const quote = server.env.db.selectFrom('verification_quotes').select(['fee_net', 'message_net']);
  expect(await quote.execute()).toEqual([{ fee_net: '0.0250', message_net: '0.0100' }]);
});

it('charges a message when it is sent, counts it until then, and charges the fee when the number is verified', async () => {
  const smsc = await openSmsc();
  try {
    const settings = { host: '127.0.0.1', port: smsc.port, system_id: 'trunkline' };
    await saveProvider(server.env, { name: 'smsc', kind: 'smpp', settings, secret: 'secret' });
    await saveRoute(server.env, { deliveryMethod: 'sms', prefix: '', provider: 'smsc' }, 1);
    await updateAccount(server.env, server.accountId, { vatRate: '21', credit: '0.0105' });
    await setRate(server.env, { per: 'verification', deliveryMethod: 'sms', prefix: '49', amount: '0.04' });
    await setRate(server.env, { per: 'message', deliveryMethod: 'sms', prefix: '49', amount: '0.0183' });
    // 0.0484 and 0.0221: 0.0705 together, and not one ten-thousandth is over.
    const { body } = await client.start({ destination: '4915199999999', delivery_method: 'sms' });
    expect(body.data?.fee).toBe('0.0484');
    expect([await balance(), await start(1)]).toEqual(['0.0600', 402]);
    await server.dispatch();
    expect(await balance()).toBe('0.0379');
    const id = body.data?.id ?? '';
    const code = /\d{6}/.exec(smsc.messages[0]?.text ?? '')?.[0] ?? '';
    expect((await client.report(id, code)).body.data?.status).toBe('verified');
    expect((await client.report(id, code)).body.data?.status).toBe('verified');
    expect(await balance()).toBe('-0.0105');
    const tax = await server.env.db
      .selectFrom('ledger_entries')
      .select(({ fn }) => fn.sum<string>('amount').as('sum'))
      .where('ledger', '=', 'vat')
      .executeTakeFirst();
    expect([tax?.sum, await offences()]).toEqual(['0.0122', []]);
  } finally {
    await closeProviders(server.env);
    await smsc.close();
  }
});

it('charges no message that could not be sent', async () => {
  await setRate(server.env, { per: 'message', deliveryMethod: 'sms', prefix: '', amount: '0.01' });
  const { body } = await client.start({ destination: '4915100000001', delivery_method: 'sms' });
  await server.dispatch();
  expect((await client.status(body.data?.id ?? '')).body.data?.error_code).toBe('dispatch_failed');
  expect([await balance(), await start(2)]).toEqual(['0.0600', 201]);
});
