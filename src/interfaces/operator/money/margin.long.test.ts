/** What outbound calls earned and cost, by carrier and prefix, of one month only. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { addOperator } from '../../../../test/support/operator.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { ensureMonth } from '../../../engines/db/months.ts';

const server = useOpened(() => startTestServer());

/** `price` is without VAT; a null cost is that of a carrier without a rate. */
async function addCdr(
  carrier: string | null,
  at: string,
  to: string,
  seconds: number,
  price: string,
  cost: string | null,
) {
  const { env, accountId } = server;
  const start = new Date(at);
  await ensureMonth(env.pool, 'cdrs_out', start);
  await env.pool.query(
    `insert into cdrs_out (id, call_id, account_id, voice_out_trunk_id, voice_out_trunk_name, time_start, time_connect, time_end, success,
       src_number, original_src_number, dst_number, duration, billing_duration, disconnect_code, disconnect_reason, call_type,
       price, carrier_name, carrier_cost, margin)
     values ($1, $2, $3, $1, 'out', $4, $5, $6, $7, '1', '1', $8, $9, $9, 200, 'OK', 'local', $10, $11, $12, $10::numeric - $12::numeric)`,
    [
      ...[
        randomUUID(),
        randomUUID(),
        accountId,
        start,
        seconds > 0 ? start : null,
        new Date(start.getTime() + seconds * 1000),
      ],
      ...[seconds > 0, to, seconds, price, carrier, cost],
    ],
  );
}

test('sums are by carrier and first digits, those that lose money first', async () => {
  await addCdr('alpha', '2026-05-01T00:00:00Z', '4930123', 60, '0.6000', '0.1000');
  await addCdr('alpha', '2026-05-31T23:59:59Z', '7#4940123', 30, '0.3000', '0.0500');
  await addCdr('alpha', '2026-05-10T00:00:00Z', '4930123', 0, '0.0000', '0.0000');
  await addCdr('alpha', '2026-05-10T00:00:00Z', '33123456', 60, '0.1000', '0.1500');
  await addCdr('beta', '2026-05-10T00:00:00Z', '4930123', 10, '0.2000', null);
  // Of other months.
  await addCdr('alpha', '2026-04-30T23:59:59Z', '4930123', 60, '9.0000', '1.0000');
  await addCdr('alpha', '2026-06-01T00:00:00Z', '4930123', 60, '9.0000', '1.0000');
  const { client } = await addOperator(server, 'finance');
  const report = async (query: string) => JSON.parse((await client.get(`/margins?${query}`)).text);
  expect(await report('month=2026-05&digits=2')).toEqual({
    month: '2026-05',
    rows: [
      {
        carrier: 'alpha',
        prefix: '33',
        calls: 1,
        answered: 1,
        billed_seconds: 60,
        ...money('0.1000', '0.1500', '-0.0500'),
      },
      { carrier: 'beta', prefix: '49', calls: 1, answered: 1, billed_seconds: 10, ...money('0', '0', '0') },
      {
        carrier: 'alpha',
        prefix: '49',
        calls: 3,
        answered: 2,
        billed_seconds: 90,
        ...money('0.9000', '0.1500', '0.7500'),
      },
    ],
  });
  const byThree = await report('month=2026-05&digits=3');
  expect(byThree.rows.map((row: { prefix: string }) => row.prefix)).toEqual(['331', '493', '494', '493']);
  expect((await report('month=2026-03&digits=2')).rows).toEqual([]);
});

const money = (revenue: string, cost: string, margin: string) => ({ revenue, cost, margin });
