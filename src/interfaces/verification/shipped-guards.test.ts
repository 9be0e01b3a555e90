/**
 * What production refuses as it is shipped, without any setting: pumping, premium ranges, guessing over many starts.
 */
import { afterEach, expect, it } from 'vitest';
import { addSmsc, codeIn, useDelivery } from '../../../test/support/use-delivery.ts';
import { changeSettings, shippedSettings, type VerificationSettings } from './settings.ts';

const { server, fresh } = useDelivery();

afterEach(() => server.env.pool.query('delete from verification_counters; delete from verification_start_counts'));

const refusal = ({ status, body }: { status: number; body: { errors?: { code: string }[] } }) =>
  body.errors === undefined ? [status] : [status, body.errors[0]?.code];
const reasons = async () =>
  (await server.env.db.selectFrom('verification_blocked_starts').select('reason').orderBy('id').execute()).map(
    ({ reason }) => reason,
  );

async function set(changes: Partial<VerificationSettings>): Promise<void> {
  const heard = new Promise<void>((resolve) => server.env.changes.on('verification_settings', () => resolve()));
  await changeSettings(server.env, changes);
  await heard;
}

it('a number, a range and a premium number are bounded in production, with errors of the contract; one setting lets all pass', async () => {
  const smsc = await addSmsc(server, 'smsc', 1);
  const [client, sister] = [await server.client(), await server.client()];
  const number = fresh();
  const startTimes = async (times: number, destination: () => string) => {
    const results = [];
    for (let n = 0; n < times; n++) {
      server.clock.advance(31);
      results.push(
        refusal(await (n % 2 ? client : sister).start({ destination: destination(), delivery_method: 'sms' })),
      );
      await server.dispatch();
    }
    return results;
  };
  server.clock.advance(3600 - ((server.clock.now().getTime() / 1000) % 3600));
  expect((await startTimes(11, () => number)).at(-1)).toEqual([429, 'destination_in_cooldown']);
  // Ten are counted; ninety more share eight digits.
  const { prefixVelocity } = shippedSettings('production');
  await server.env.db
    .updateTable('verification_start_counts')
    .set({ count: (prefixVelocity?.limit ?? 0) - 10 })
    .where('id', '=', (first) =>
      first
        .selectFrom('verification_start_counts')
        .select((id) => id.fn.min('id').as('id'))
        .where('guard', '=', 'prefix_velocity'),
    )
    .execute();
  expect((await startTimes(2, fresh)).map(String)).toEqual(['201', '429,destination_in_cooldown']);
  const premium = () => '449098790879';
  expect((await startTimes(1, premium)).at(0)).toEqual([422, 'destination_not_supported_for_channel']);
  expect(await reasons()).toEqual(['destination_budget', 'prefix_velocity', 'premium_number']);

  await set({ pumpingGuards: false });
  expect([
    ...(await startTimes(1, () => number)),
    ...(await startTimes(1, fresh)),
    ...(await startTimes(1, premium)),
  ]).toEqual([[201], [201], [201]]);
  await set({ pumpingGuards: true });
  await smsc.close();
});

it('wrong codes are bounded by the day over all starts and applications of an account, and only of that account', async () => {
  const smsc = await addSmsc(server, 'smsc', 1);
  const clients = [await server.client(), await server.client()] as const;
  const destination = fresh();
  const open = await clients[1].start({ destination, delivery_method: 'sms' });
  await server.dispatch();
  await set({ dailyWrongCodes: 4 });
  const guess = async (times: number) => {
    server.clock.advance(31);
    const { body } = await clients[0].start({ destination, delivery_method: 'sms' });
    await server.dispatch();
    const id = body.data?.id ?? '';
    const code = codeIn(smsc.messages.at(-1)?.text ?? '');
    const wrong = code === '000000' ? '111111' : '000000';
    const results = [];
    for (let n = 0; n < times; n++) results.push(refusal(await clients[0].report(id, wrong)));
    return { id, code, results };
  };
  expect((await guess(3)).results).toEqual(Array(3).fill([422, 'code_invalid']));
  const last = await guess(1);
  expect(last.results).toEqual([[422, 'code_invalid']]);
  // Nothing more is compared today, not even a right code, and not by a sister application.
  expect((await clients[0].report(last.id, last.code)).body.data).toMatchObject({
    ...{ status: 'failed', error_code: 'too_many_attempts' },
  });
  expect((await clients[1].status(open.body.data?.id ?? '')).body.data?.error_code).toBe('too_many_attempts');
  server.clock.advance(31);
  const refused = await clients[0].start({ destination, delivery_method: 'sms' });
  expect(refusal(refused)).toEqual([429, 'destination_in_cooldown']);
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect((await reasons()).at(-1)).toBe('wrong_codes');
  server.clock.advance(wait);
  expect((await clients[0].start({ destination, delivery_method: 'sms' })).status).toBe(201);
  await set({ dailyWrongCodes: 15 });
  await smsc.close();
});

it('a call through a carrier is refused until the operator has set the number that it shows', async () => {
  const { id } = await server.env.db
    .insertInto('carriers')
    .values({ name: 'calls', host: '127.0.0.1', created_at: server.clock.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  await server.env.db
    .insertInto('carrier_routes')
    .values({ carrier_id: id, prefix: '', priority: 10, weight: 10 })
    .execute();
  const start = async () => (await server.client()).start({ destination: fresh(), delivery_method: 'callout' });
  expect(refusal(await start())).toEqual([422, 'destination_not_supported_for_channel']);
  expect((await reasons()).at(-1)).toBe('caller_number_missing');
  await set({ callerNumber: '4930100' });
  expect(refusal(await start())).toEqual([201]);
});
