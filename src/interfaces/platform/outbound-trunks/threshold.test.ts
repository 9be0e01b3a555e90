/** Changing the 24-hour limit of a trunk that has spent something. */

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { patchOutboundTrunk, postOutboundTrunk } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { ensureMonths } from '../../../business/voice/months.ts';

const server = useOpened(() => startTestServer());

async function trunkThatSpent(price: string, callback_url: string | null = null): Promise<string> {
  const { resource } = await postOutboundTrunk(server.client, {
    on_cli_mismatch_action: 'send_original_cli',
    callback_url,
  });
  const at = new Date(server.clock.now().getTime() - 3_600_000);
  await ensureMonths(server.env, 'cdrs_out', at);
  await server.env.db
    .insertInto('cdrs_out')
    .values({
      ...{ id: randomUUID(), call_id: randomUUID(), account_id: server.accountId, voice_out_trunk_id: resource.id },
      ...{ voice_out_trunk_name: 'spent', time_start: at, time_connect: at, time_end: at, success: true },
      ...{ src_number: '1', original_src_number: '1', dst_number: '4930', duration: 1, billing_duration: 1 },
      ...{ disconnect_code: 200, disconnect_reason: 'Bye', call_type: 'INTERNATIONAL', price },
    })
    .execute();
  return resource.id;
}

const send = (id: string, attributes: object) => patchOutboundTrunk(server.client, id, attributes);
const patch = async (id: string, attributes: object) => (await send(id, attributes)).resource;

test('a lower one than was spent blocks at once, a higher one opens, and both are told', async () => {
  const receiver = await startReceiver();
  const id = await trunkThatSpent('5', receiver.url);
  const blocked = await patch(id, { threshold_amount: '4.5' });
  expect(blocked.attributes).toMatchObject({ status: 'blocked', threshold_reached: true });
  expect(blocked.meta).toEqual({ spent_amount: '5.0' });
  await runDueJobs(server.env);
  const open = await patch(id, { threshold_amount: '6' });
  expect(open.attributes).toMatchObject({ status: 'active', threshold_reached: false });
  await runDueJobs(server.env);
  await receiver.close();
  expect(receiver.received.map(({ body }) => JSON.parse(body)[0])).toMatchObject([
    { id, status: 'blocked', threshold_reached: true },
    { id, status: 'active', threshold_reached: false },
  ]);
});

test('opening by hand wins over a limit in the same request', async () => {
  const id = await trunkThatSpent('5');
  await patch(id, { threshold_amount: '4' });
  const open = await patch(id, { status: 'active', threshold_amount: '3' });
  expect(open.attributes).toMatchObject({ status: 'active', threshold_reached: false, threshold_amount: '3.0' });
});

test('a limit of nothing blocks nobody who has spent nothing', async () => {
  const id = await trunkThatSpent('0');
  expect((await patch(id, { threshold_amount: '0' })).attributes).toMatchObject({ status: 'active' });
});

test('a threshold with more than four decimals is refused, and not rounded unseen', async () => {
  const id = await trunkThatSpent('1');
  const refused = await send(id, { threshold_amount: '4.00001' });
  expect([refused.status, refused.errors[0]?.detail, refused.errors[0]?.source?.pointer]).toEqual([
    422,
    'threshold_amount - must have at most 4 decimals',
    '/data/attributes/threshold_amount',
  ]);
  expect((await patch(id, { threshold_amount: '4.12340' })).attributes.threshold_amount).toBe('4.1234');
});
