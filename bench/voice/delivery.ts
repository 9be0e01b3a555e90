/** How fast events go out: with a long backlog next to none, and beside a customer whose receiver is dead. */

import { Deliverer } from '../../src/business/voice/events/deliverer.ts';
import { ensureMonths } from '../../src/business/voice/months.ts';
import { compareRates } from '../load.ts';
import type { Row } from '../row.ts';
import { percentile, until, type VoiceWorld } from './world.ts';

const customerCount = 10;
const measured = 6000;
const backlogSize = 200_000;

export async function deliveryRows(world: VoiceWorld): Promise<Row[]> {
  const customers = await customersAt(world, '/events', customerCount);
  const dead = await customersAt(world, '/hang', 1);
  await ensureMonths(world.env, 'call_events', world.env.clock.now());
  const backlog = await compareRates(
    3,
    () => deliveredPerSecond(world, () => fill(world, customers, backlogSize)),
    () => deliveredPerSecond(world, () => fill(world, customers, measured)),
  );
  const beside = await compareRates(
    3,
    () =>
      deliveredPerSecond(world, async () => {
        await fill(world, customers, measured);
        await fill(world, dead, measured);
      }),
    () => deliveredPerSecond(world, () => fill(world, customers, measured)),
  );
  return [
    {
      measure: 'events delivered a second: a backlog of 200,000 / none',
      ratio: backlog.ratio,
      required: { atLeast: 0.8 },
      note: `${backlog.left.toFixed(0)}/s and ${backlog.right.toFixed(0)}/s, ${customerCount} customers`,
    },
    {
      measure: 'events delivered a second to the others: one customer’s receiver is dead / all are well',
      ratio: beside.ratio,
      required: { atLeast: 0.9 },
      note: `${beside.left.toFixed(0)}/s and ${beside.right.toFixed(0)}/s`,
    },
  ];
}

async function customersAt(world: VoiceWorld, path: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push(await world.telephony.account({ callEvents: { url: `${world.receiver}${path}`, gzip: false } }));
  }
  return ids;
}

/** Events of calls, three to a call, spread over the customers. */
async function fill(world: VoiceWorld, accountIds: readonly string[], events: number): Promise<void> {
  await world.env.pool.query(
    `insert into call_events (account_id, stream, call_id, body, created_at, due_at)
     select ($1::uuid[])[1 + (n / 3) % cardinality($1::uuid[])], 'voice_in_events', 'call-' || n / 3,
            json_build_object('type', (array['incoming-call-start-event', 'incoming-call-connect-event',
              'incoming-call-end-event'])[1 + n % 3], 'id', 'call-' || n / 3, 'attributes', json_build_object(
              'time_start', '2026-06-15T12:00:00.000000+00:00', 'did_number', '442012345678', 'src_number', '15550100'))::text,
            $2, $2
     from generate_series(0, $3::int - 1) n`,
    [accountIds, world.env.clock.now(), events],
  );
}

/** Over the first of them that arrive: the time from the first to the last. */
async function deliveredPerSecond(world: VoiceWorld, prepare: () => Promise<void>): Promise<number> {
  await world.env.pool.query('truncate call_events, call_event_lanes');
  await world.forget();
  await prepare();
  await world.env.pool.query('analyze call_events');
  const deliverer = new Deliverer(world.env);
  void deliverer.startDue();
  await until(async () => (await world.seen()).length >= measured);
  const seen = (await world.seen()).slice(0, measured).map(({ at }) => at);
  await world.env.pool.query('truncate call_events, call_event_lanes');
  await deliverer.stop();
  // A few strays at the edges do not count.
  return (measured * 0.96) / ((percentile(seen, 0.98) - percentile(seen, 0.02)) / 1000);
}
