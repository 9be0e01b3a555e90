/**
 * What open verifications may cost is spent by nothing else: neither by calls nor by orders, and the account owes
 * nothing in the end.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createDialers } from '../../../test/support/dialers.ts';
import { createTelephony } from '../../../test/support/telephony.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { startVerificationServer } from '../../../test/support/verification-server.ts';
import { setRate } from '../../interfaces/verification/prices.ts';
import { parseAmount } from '../money/decimal.ts';
import { setVoiceRate } from './rates.ts';
import { simulateOutbound } from './simulate.ts';
import { voiceOf } from './voice.ts';

const server = useOpened(() => startVerificationServer({ name: 'production', balance: '0' }));
const telephony = useMade(() => createTelephony(server.env));
const voice = useMade(() => voiceOf(server.env));
afterAll(() => voice.stop());
const dialer = createDialers(server, telephony);

/** Each start may cost 9. */
async function start(numbers: readonly number[]): Promise<(number | string)[]> {
  const client = await server.client();
  return Promise.all(
    numbers.map(async (number) => {
      const destination = `49151${String(number).padStart(8, '0')}`;
      return (await client.start({ destination, delivery_method: 'sms' })).status;
    }),
  );
}

test('calls and orders leave what open starts may cost; when those are over, everything can be spent', async () => {
  const { env, accountId, clock } = server;
  await setRate(env, { per: 'verification', deliveryMethod: 'sms', prefix: '', amount: '9' });
  await setVoiceRate(env, { kind: 'termination', prefix: '49', perMinute: '0.01' });
  const { request, trunkId } = await dialer();
  await env.pool.query('update voice_out_trunks set account_id = $1, threshold_amount = 1000 where id = $2', [
    accountId,
    trunkId,
  ]);
  await env.pool.query('update dids set account_id = $1', [accountId]);
  const fund = (amount: string) =>
    env.pool.query(
      `select post_ledger($1, 'top_up', gen_random_uuid(), '', null, null, $2, array['customer', 'funding'], array[$3::numeric, -$3::numeric])`,
      [accountId, clock.now(), amount],
    );
  const balance = async () =>
    parseAmount(
      (await env.db.selectFrom('accounts').select('balance').where('id', '=', accountId).executeTakeFirstOrThrow())
        .balance,
    );
  await fund('100');
  expect((await start([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).every((status) => status === 201)).toBe(true);
  // 10 are left for calls, although a hundredth of the balance is more than each asks for.
  const talk = { code: 200, ring_seconds: 0, talk_seconds: 20 * 3_600 };
  await Promise.all(Array.from({ length: 5 }, () => simulateOutbound(voice, request, talk)));
  const left = await balance();
  expect(left >= parseAmount('90') && left < parseAmount('90.01')).toBe(true);
  const order = async (amount: string) => {
    const { rows } = await sql<{ spendable: string | null }>`
      select hold_money(${accountId}, 'order', ${randomUUID()}, null, ${clock.now()}, ${amount}) as spendable`.execute(
      env.db,
    );
    return rows[0]?.spendable ?? null;
  };
  expect(parseAmount((await order('80')) ?? '')).toBeLessThan(parseAmount('0.01'));
  clock.advance(600);
  expect(await order('80')).toBeNull();
  expect(await start([11, 12])).toContain(402);
});
