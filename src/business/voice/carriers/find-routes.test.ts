/** Which carriers are tried for a call, in which order. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDialers } from '../../../../test/support/dialers.ts';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { useTelephony } from '../../../../test/support/use-telephony.ts';
import { hangUp } from '../disconnect-codes.ts';
import { writeStream } from '../events/stream-settings.ts';
import { later } from '../moment.ts';
import { placeCall } from '../outbound/place-call.ts';
import { setVoiceRate } from '../rates.ts';
import { createCarrier, updateCarrier } from './carriers.ts';
import { createRouteFinder, isCarrierFailure } from './find-routes.ts';
import { addRoute, setCarrierRate } from './routes.ts';

const { house, telephony, voice } = useTelephony();
const customer = createDialers(house, telephony);
beforeAll(async () => {
  await setVoiceRate(house.env, { kind: 'termination', prefix: '49', perMinute: '0.6' });
  await runDueJobs(house.env);
});
beforeEach(async () => {
  await house.env.db.deleteFrom('carriers').execute();
  for (const name of ['north', 'south', 'west', 'east']) {
    await createCarrier(house.env, { name, host: `${name}.example.net` });
  }
});

const route = (carrier: string, prefix: string, priority = 10, weight = 10) =>
  addRoute(house.env, { carrier, prefix, priority, weight });

/** A generator with a fixed sequence (mulberry32), so that every run draws the same carriers. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const namesFor = async (destination: string, random = seeded(1)) =>
  (await createRouteFinder(house.env, random)(destination, null)).map(({ carrier }) => carrier.name);

describe('the order in which carriers are tried', () => {
  test('the longest prefix first, then the priority; a carrier once', async () => {
    await route('north', '');
    await route('south', '49', 20);
    await route('west', '49', 10);
    await route('east', '4930');
    await route('north', '4930', 20);
    expect(await namesFor('4930123')).toEqual(['east', 'north', 'west', 'south']);
    expect(await namesFor('4989123')).toEqual(['west', 'south', 'north']);
    expect(await namesFor('15550100')).toEqual(['north']);
    expect(await namesFor('4')).toEqual(['north']);
  });

  test('a carrier that is off, or has no host, gets no calls', async () => {
    for (const name of ['north', 'south', 'west']) await route(name, '49');
    await updateCarrier(house.env, 'north', { enabled: false });
    await updateCarrier(house.env, 'south', { host: null });
    expect(await namesFor('4930123')).toEqual(['west']);
    expect(await namesFor('3312345')).toEqual([]);
  });

  test('by weight among equal priorities, the same with the same seed', async () => {
    await route('north', '49', 10, 70);
    await route('south', '49', 10, 30);
    await route('west', '49', 20, 100);
    const random = seeded(42);
    const find = createRouteFinder(house.env, random);
    const first: Record<string, number> = {};
    for (let call = 0; call < 200; call++) {
      const names = (await find('4930123', null)).map(({ carrier }) => carrier.name);
      expect(names[2]).toBe('west');
      first[names[0] ?? ''] = (first[names[0] ?? ''] ?? 0) + 1;
    }
    expect(first.north).toBeGreaterThan(120);
    expect(first.south).toBeGreaterThan(40);
    expect(await namesFor('4930123', seeded(7))).toEqual(await namesFor('4930123', seeded(7)));
  });

  test.each([
    [403, true],
    [408, true],
    [503, true],
    [599, true],
    [404, false],
    [480, false],
    [486, false],
    [487, false],
    [603, false],
  ])('after %i the next is tried: %s', (code, expected) => {
    expect(isCarrierFailure(code)).toBe(expected);
  });
});

const leg = { sourcePort: 5060, sourceProtocol: 'UDP', callId: 'leg-a@pbx' } as const;

async function place(request: Awaited<ReturnType<typeof customer>>['request']) {
  const placed = await placeCall(voice, { ...request, ...leg }, createRouteFinder(house.env, seeded(1)));
  if (!('live' in placed)) throw new Error(JSON.stringify(placed));
  return placed.live;
}

const cdrOf = (trunkId: string) =>
  house.env.db.selectFrom('cdrs_out').selectAll().where('voice_out_trunk_id', '=', trunkId).executeTakeFirstOrThrow();

describe('a call', () => {
  test('goes to the next carrier; the CDR has what the last one costs, and the customer does not see it', async () => {
    await updateCarrier(house.env, 'south', {
      ...{ transport: 'tls', port: 5061, credentials: { username: 'us', password: 'a secret' } },
    });
    await route('north', '49', 1);
    await route('south', '49', 2);
    await setCarrierRate(house.env, 'north', { prefix: '49', perMinute: '0.9' });
    await setCarrierRate(house.env, 'south', { prefix: '4', perMinute: '0.9' });
    await setCarrierRate(house.env, 'south', {
      ...{ prefix: '493', perMinute: '0.24', connectionFee: '0.01', initialInterval: 60, nextInterval: 30 },
    });
    const { accountId, trunkId, request } = await customer();
    for (const stream of ['voice_out_events', 'voice_out_cdr'] as const) {
      await writeStream(house.env, accountId, stream, { url: 'http://127.0.0.1:9/' });
    }
    const live = await place(request);
    expect(live.target).toMatchObject({ carrier: { name: 'north' }, host: 'north.example.net', credentials: null });
    expect(await live.attemptFailed({ code: 503 }, house.clock.now())).toBe('rerouted');
    const { target } = live;
    expect(target).toMatchObject({ host: 'south.example.net', port: 5061, transport: 'tls' });
    expect([target?.credentials?.username, target?.credentials?.password.reveal()]).toEqual(['us', 'a secret']);
    expect(JSON.stringify(target)).not.toContain('a secret');
    const connect = house.clock.now();
    await live.answered(connect);
    await live.end(hangUp, later(connect, 70));
    expect(await cdrOf(trunkId)).toMatchObject({
      ...{ carrier_name: 'south', price: '0.7000', carrier_rate: '0.240000' },
      // 90 seconds at 0.24 a minute and the fee.
      ...{ carrier_cost: '0.3700', margin: '0.3300' },
    });
    const events = await house.env.db
      .selectFrom('call_events')
      .select('body')
      .where('account_id', '=', accountId)
      .execute();
    expect(events).toHaveLength(4);
    for (const { body } of events) expect(body).not.toMatch(/carrier|cost|margin|south/);
  });

  test('that nobody answered costs nothing; a carrier without a rate has no cost', async () => {
    await route('north', '49');
    const first = await customer();
    const unknown = await place(first.request);
    await unknown.attemptFailed({ code: 486 }, house.clock.now());
    expect(await cdrOf(first.trunkId)).toMatchObject({ carrier_rate: null, carrier_cost: null, margin: null });
    await setCarrierRate(house.env, 'north', { prefix: '', perMinute: '0.1', connectionFee: '0.5' });
    const second = await customer();
    const busy = await place(second.request);
    await busy.attemptFailed({ code: 486 }, house.clock.now());
    expect(await cdrOf(second.trunkId)).toMatchObject({ carrier_cost: '0.0000', margin: '0.0000' });
  });

  test('to where no carrier goes is refused with 503', async () => {
    const { request } = await customer();
    const placed = await placeCall(voice, { ...request, ...leg }, createRouteFinder(house.env));
    expect(placed).toMatchObject({ code: 503, reason: 'no_carrier' });
  });
});
