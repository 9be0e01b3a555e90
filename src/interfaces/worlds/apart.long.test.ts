/**
 * Nothing done in one world can be seen or felt in another: random acts in three worlds at a time leave in each of them
 * exactly what the same acts leave in a world that is alone. WORLDS_SEED=… runs a failure again.
 */
import { expect, test } from 'vitest';
import { startReceiver } from '../../../test/support/receiver.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { type MadeWorld, send, WorldClient } from '../../../test/support/world-client.ts';
import { SeededRandom } from '../../engines/sip/simulation/seeded-random.fixture.ts';

const seed = Number(process.env.WORLDS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const actsOfEach = 10;
const hour = 3600;

const server = useOpened(() => startTestServer({ worlds: { TRUNKLINE_WORLDS: '20' } }));
const receiver = useOpened(() => startReceiver());

/** What a world's acts have to do with: its client, its name, and what earlier acts have left. */
interface Stage {
  readonly world: WorldClient;
  readonly name: string;
  readonly callbackUrl: string;
  skuId: string | null;
  verificationId: string | null;
  number: string | null;
}

type Act = (stage: Stage) => Promise<unknown>;

interface Document {
  data: { id: string; attributes: Record<string, unknown> }[];
}

/** A refusal is a result like any other. */
const outcome = async (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: Error) => ({ refused: error.message }));

/** Destinations are shared by all worlds on purpose: a code, a cooldown or a limit of another one would show. */
const destinations = ['4915112345678', '447400123456'];

const acts: Readonly<Record<string, (random: SeededRandom) => Act>> = {
  stock: (random) => {
    const country = random.pick(['GB', 'FR', 'DE']);
    const count = 1 + random.below(3);
    return async (stage) => {
      const numbers = [{ country, count, setup_price: '0.50', monthly_price: '2.00' }];
      const seeded = await stage.world.control<{ numbers: { stock_keeping_unit_id: string }[] }>('POST', '/seed', {
        numbers,
      });
      stage.skuId = seeded.numbers[0]?.stock_keeping_unit_id ?? null;
      return seeded;
    };
  },
  order: (random) => {
    const qty = 1 + random.below(2);
    return async ({ world, skuId, name, callbackUrl }) => {
      const items = [{ type: 'did_order_items', attributes: { qty, sku_id: skuId } }];
      const attributes = { items, callback_url: callbackUrl, callback_method: 'post', external_reference_id: name };
      return world.v3('POST', '/orders', { type: 'orders', attributes });
    };
  },
  trunk: (random) => {
    const label = random.pick(['office', 'home', 'shop']);
    return ({ world, name }) => {
      const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9] } };
      const attributes = { name: `${label} of ${name}`, configuration };
      return world.v3('POST', '/voice_in_trunks', { type: 'voice_in_trunks', attributes });
    };
  },
  call: () => async (stage) => {
    const { data } = await stage.world.v3<Document>('GET', '/dids?sort=number');
    const did_number = String(data[0]?.attributes.number ?? '442079460001');
    return stage.world.control('POST', '/calls', { did_number, src_number: '33612345678' });
  },
  verify: (random) => {
    const destination = random.pick(destinations);
    return async (stage) => {
      const started = await stage.world.otp<{ data: { id: string } }>('POST', '', {
        destination,
        delivery_method: 'sms',
      });
      stage.verificationId = started.data.id;
      return started;
    };
  },
  report: (random) => {
    const isRight = random.below(2) === 0;
    return async ({ world, verificationId }) => {
      const { messages } = await world.control<{ messages: { verification_id: string; code: string }[] }>(
        'GET',
        '/messages',
      );
      const sent = messages.find(({ verification_id }) => verification_id === verificationId);
      const code = isRight ? (sent?.code ?? '0000') : 'x';
      return world.otp('PATCH', `/${verificationId}`, { delivery_method: 'sms', code });
    };
  },
  fault: (random) => {
    const fault = random.pick(['order.pending', 'order.canceled', 'sms.failed', 'callback.doubled', 'call.drops']);
    return ({ world }) => world.control('POST', '/faults', { do: { fault } });
  },
  refusal:
    () =>
    ({ world }) =>
      world.control('POST', '/faults', { match: { path: '/v3/balance' }, do: { status: 503 }, times: 1 }),
  delay: (random) => {
    const delay_seconds = random.pick([0, 1800, 7200]);
    return ({ world }) => world.control('POST', '/orders', { delay_seconds });
  },
  balance:
    () =>
    ({ world }) =>
      world.v3('GET', '/balance'),
  wait: (random) => {
    const advance_seconds = random.pick([24, 240, 800]) * hour;
    return ({ world }) => world.control('POST', '/clock', { advance_seconds });
  },
};

/** What a client can see at the end. Jobs and requests of others would be among it. */
const views: readonly ((world: WorldClient) => Promise<unknown>)[] = [
  (world) => world.v3('GET', '/dids?sort=number&include=order'),
  (world) => world.v3('GET', '/orders?sort=created_at'),
  (world) => world.v3('GET', '/voice_in_trunks?sort=created_at'),
  (world) => world.v3('GET', '/available_dids?include=did_group'),
  (world) => world.v3('GET', '/did_history'),
  (world) => world.control('GET', '/messages'),
  (world) => world.control('GET', '/calls'),
  (world) => world.control('GET', '/faults'),
  (world) => world.control('GET', '/orders'),
  (world) => world.control('GET', '/clock'),
  async (world) => sorted((await world.control<{ deliveries: object[] }>('GET', '/deliveries')).deliveries),
  async (world) => sorted((await world.control<{ requests: object[] }>('GET', '/requests')).requests),
  async (world) => sorted((await world.control<{ next: object[] }>('GET', '/timeline')).next),
];

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(comparable(row))).toSorted();

/** A script has the same acts however often it is written. */
const scriptOf = (index: number): { name: string; act: Act }[] => {
  const random = new SeededRandom(seed + index);
  const names = ['stock', 'order', ...Array.from({ length: actsOfEach }, () => random.pick(Object.keys(acts)))];
  return names.flatMap((name) => {
    const act = acts[name]?.(random);
    return act === undefined ? [] : [{ name, act }];
  });
};

/**
 * Plays a script in a new world. Every act is an hour later than the one before, and what it began has ended by then.
 */
async function play(index: number, way: string): Promise<unknown[]> {
  const made = await send<MadeWorld>(
    'POST',
    `${server.url}/sandbox/v1/worlds`,
    { 'api-key': server.key },
    { from: 'start' },
  );
  const world = new WorldClient(made);
  const callbackUrl = `${receiver.url}/${way}/${index}`;
  const stage: Stage = { world, name: `world-${index}`, callbackUrl, skuId: null, verificationId: null, number: null };
  const seen: unknown[] = [];
  for (const { name, act } of scriptOf(index)) {
    seen.push({ act: name, outcome: comparable(await outcome(act(stage))) });
    await world.control('POST', '/clock', { advance_seconds: hour });
  }
  for (const view of views) seen.push(comparable(await view(world)));
  seen.push(sorted(receiver.received.filter(({ url }) => url === callbackUrl).map(({ body }) => formOf(body))));
  await send('DELETE', `${server.url}/sandbox/v1/worlds/${made.id}`, { 'api-key': server.key });
  return seen;
}

const formOf = (body: string): object => Object.fromEntries(new URLSearchParams(body));

/** Members that are drawn or measured anew each time. */
const varying = new Set(['code', 'text', 'reference', 'duration_ms', 'seed', 'api_key', 'digest', 'authorization']);

/** A document without what differs from run to run: ids, addresses, drawn values, and times finer than an hour. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member) => (varying.has(key) ? '…' : member));
  return JSON.parse(
    (text ?? 'null')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'ID')
      .replaceAll(/\/w\/[0-9a-f]{16}/g, '/w/ID')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
      .replaceAll(/\/(together|alone)\/(\d)/g, '/$2')
      .replaceAll(/\d{2}-[0-9A-F]{8}-[0-9A-F-]{20,}/g, 'CALL')
      .replaceAll(/\b[A-Z]{3}-\d{6}\b/g, 'REFERENCE')
      .replaceAll(/(\d{4}-\d{2}-\d{2}T\d{2}):\d{2}:\d{2}(\.\d+)?Z/g, '$1')
      .replaceAll(/"id":"\d+"/g, '"id":"N"'),
  );
}

test('acts in three worlds at a time leave what they leave in a world alone', { timeout: 300_000 }, async () => {
  process.stdout.write(`worlds apart: WORLDS_SEED=${seed}\n`);
  const owner = { 'api-key': server.key };
  // All begin at one moment far enough from the machine's time that no act crosses a day in one run only.
  const first = new WorldClient(
    await send<MadeWorld>('POST', `${server.url}/sandbox/v1/worlds`, owner, { from: 'empty' }),
  );
  const moment = `${new Date().getUTCFullYear() + 1}-06-01T00:00:00Z`;
  await first.control('POST', '/clock', { to: moment });
  const snapshots = `${server.url}/sandbox/v1/snapshots`;
  await send('POST', snapshots, owner, { name: 'start', world: first.made.id });

  const together = await Promise.all([0, 1, 2].map((index) => play(index, 'together')));
  for (const index of [0, 1, 2]) {
    const alone = await play(index, 'alone');
    expect(together[index], `world ${index} of WORLDS_SEED=${seed}`).toEqual(alone);
    for (const other of [0, 1, 2].filter((each) => each !== index)) {
      expect(JSON.stringify(together[index])).not.toContain(`world-${other}`);
    }
  }
  expect(await send<{ requests: object[] }>('GET', `${server.url}/sandbox/v1/requests`, owner)).toEqual({
    requests: [],
  });
});
