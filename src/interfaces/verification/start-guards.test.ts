/** Guards that refuse a start: budgets, rates, prefixes. */
import { afterEach, describe, expect, it } from 'vitest';
import { useOpened } from '../../../test/support/use.ts';
import { type Answer, request, VerificationClient } from '../../../test/support/verification-client.ts';
import { startVerificationServer } from '../../../test/support/verification-server.ts';
import { addressGroup } from '../../business/accounts/allowed-ips.ts';
import { createFailedAuthentications } from '../../business/accounts/failed-authentication.ts';
import { createApplication } from './application.writes.ts';
import { createRequestRates } from './request-rates.ts';
import { changeSettings, readSettings, shippedSettings, type VerificationSettings } from './settings.ts';

const server = useOpened(() => startVerificationServer());
let last = 0;
const fresh = () => `49152${String(++last).padStart(8, '0')}`;

afterEach(async () => {
  const off = Object.fromEntries(Object.keys(shippedSettings('sandbox')).map((name) => [name, undefined]));
  await changeSettings(server.env, off);
  await server.env.pool.query(
    'delete from verification_counters; delete from verification_start_counts; delete from verification_blocked_starts',
  );
});

async function set(changes: Partial<VerificationSettings>) {
  // The server hears of it through the database, and this after it.
  const heard = new Promise<void>((resolve) => server.env.changes.on('verification_settings', () => resolve()));
  await changeSettings(server.env, changes);
  await heard;
}
const blocked = () =>
  server.env.db.selectFrom('verification_blocked_starts').select(['destination', 'reason', 'address']).execute();

describe('a guard', () => {
  it.each([
    ['destinationBudget', { limit: 1, seconds: 3600 }, 'destination_budget', 'destination_in_cooldown'],
    ['addressVelocity', { limit: 1, seconds: 3600 }, 'address_velocity', 'rate_limit_per_ip'],
    ['prefixVelocity', { limit: 1, seconds: 3600, digits: 5 }, 'prefix_velocity', 'destination_in_cooldown'],
    ['dailyVolume', 1, 'daily_volume', 'volume_limit_reached'],
  ] as const)('%s of %j lets the first start pass and stops the second', async (name, value, reason, code) => {
    const client = await server.client();
    const other = name === 'destinationBudget' ? await server.client() : client;
    await set({ [name]: value });
    const first = fresh();
    const second = name === 'destinationBudget' ? first : fresh();
    expect((await client.start({ destination: first, delivery_method: 'sms' })).status).toBe(201);
    const refused = await other.start({ destination: second, delivery_method: 'sms' });
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([429, code]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await blocked()).toEqual([{ destination: second, reason, address: '127.0.0.1' }]);
    server.clock.advance(86_400);
    expect((await client.start({ destination: fresh(), delivery_method: 'sms' })).status).toBe(201);
  });

  it('lets exactly its limit pass among parallel starts', async () => {
    const client = await server.client({ dailyLimit: 5 });
    const starts = await Promise.all(
      Array.from({ length: 20 }, () => client.start({ destination: fresh(), delivery_method: 'sms' })),
    );
    expect(starts.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(await blocked()).toHaveLength(15);
  });

  const notSupported = 'destination_not_supported_for_channel';
  it.each([
    ['countries', ['AT', 'CH'], '4915212345678', 'country_not_allowed', notSupported],
    ['countries', ['AT', 'CH'], '99999999999', 'country_not_allowed', notSupported],
    ['blockPremium', true, '449098790879', 'premium_number', notSupported],
    ['blockPremium', true, '0044 (0)909 8790 879', 'premium_number', notSupported],
    ['blockPremium', 'ranges', '449098790879', 'premium_number', notSupported],
    ['blockPremium', 'ranges', '44909879087', 'premium_number', notSupported],
    ['blockPremium', 'ranges', '19005551', 'premium_number', notSupported],
    ['blockPremium', 'ranges', '881612345678', 'premium_number', notSupported],
    ['blockPremium', true, '99999999999', 'unknown_number', 'destination_invalid'],
    ['unknownNumbers', 'refuse', '15555550100', 'unknown_number', 'destination_invalid'],
  ] as const)('%s of %j refuses %s', async (name, value, destination, reason, code) => {
    await set({ [name]: value });
    const refused = await (await server.client()).start({ destination, delivery_method: 'sms' });
    expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([422, code]);
    expect(await blocked()).toMatchObject([{ reason }]);
  });

  it('lets an unknown number pass while it is allowed and no guard has to know it', async () => {
    await set({ unknownNumbers: 'allow', blockPremium: 'ranges' });
    expect((await (await server.client()).start({ destination: '15555550100', delivery_method: 'sms' })).status).toBe(
      201,
    );
  });

  it('counts a number as one, however it is typed', async () => {
    await set({ destinationBudget: { limit: 1, seconds: 3600 } });
    const number = fresh();
    const spellings = [`00${number}`, `+${number}`, `${number.slice(0, 2)}0${number.slice(2)}`];
    const results = [];
    for (const destination of spellings) {
      const client = await server.client();
      results.push((await client.start({ destination, delivery_method: 'sms' })).status);
    }
    expect(results).toEqual([201, 429, 429]);
  });
});

describe('a budget', () => {
  const everyGuard = {
    destinationBudget: { limit: 1, seconds: 3600 },
    addressVelocity: { limit: 1, seconds: 3600 },
    prefixVelocity: { limit: 1, seconds: 3600, digits: 13 },
    dailyVolume: 1,
  };

  it('is not used up by starts that are denied', async () => {
    await set(everyGuard);
    const application = await createApplication(server.env, server.accountId, { name: 'public without callback' });
    const credentials = { key: application.key, secret: application.secret.reveal() };
    const destination = fresh();
    const stranger = new VerificationClient(server.url, credentials, 'public');
    for (let n = 0; n < 3; n++) {
      const denied = await stranger.start({ destination, delivery_method: 'sms' });
      expect(denied.body.data?.error_code).toBe('denied_missing_callback_url');
    }
    const owner = new VerificationClient(server.url, credentials);
    expect((await owner.start({ destination, delivery_method: 'sms' })).status).toBe(201);
    server.clock.advance(31);
    expect((await owner.start({ destination, delivery_method: 'sms' })).status).toBe(429);
  });

  it('is not used up by a start that another guard, or the cooldown, refuses', async () => {
    await set({ addressVelocity: { limit: 3, seconds: 3600 }, destinationBudget: { limit: 1, seconds: 3600 } });
    const [one, two] = [await server.client(), await server.client()];
    const destination = fresh();
    expect((await one.start({ destination, delivery_method: 'sms' })).status).toBe(201);
    for (let n = 0; n < 5; n++) {
      expect((await two.start({ destination, delivery_method: 'sms' })).status).toBe(429);
      expect((await one.start({ destination, delivery_method: 'sms' })).status).toBe(429);
    }
    expect((await two.start({ destination: fresh(), delivery_method: 'sms' })).status).toBe(201);
  });

  it('counts one of several parallel starts for the same number, of which one wins', async () => {
    await set({ dailyVolume: 2 });
    const client = await server.client();
    const destination = fresh();
    const starts = await Promise.all(
      Array.from({ length: 8 }, () => client.start({ destination, delivery_method: 'sms' })),
    );
    expect(starts.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await client.start({ destination: fresh(), delivery_method: 'sms' })).status).toBe(201);
  });

  it('is given back when nothing could be sent', async () => {
    await set(everyGuard);
    const client = await server.client();
    // Of the sandbox's fixed numbers: the provider refuses.
    const failing = '19995550120';
    for (let n = 0; n < 3; n++) {
      const { body } = await client.start({ destination: failing, delivery_method: 'sms' });
      await server.dispatch();
      expect((await client.status(body.data?.id ?? '')).body.data?.error_code).toBe('dispatch_failed');
      server.clock.advance(30);
    }
    expect((await client.start({ destination: fresh(), delivery_method: 'sms' })).status).toBe(201);
    await server.dispatch();
    expect((await client.start({ destination: fresh(), delivery_method: 'sms' })).status).toBe(429);
  });
});

describe('requests a second', () => {
  // The machine's clock, by which they are counted, stands still in tests of published signatures, and so here.
  const still = async (settings: Partial<VerificationSettings>) => {
    const made = await startVerificationServer({ machineNow: () => new Date(1767225601_000) });
    await changeSettings(made.env, settings);
    return made;
  };
  const read = async (client: { status(id: string): Promise<Answer> }) => {
    const { status, body, headers } = await client.status('x');
    return [status, body.errors?.[0]?.code, headers.get('retry-after')];
  };
  const found = [404, 'not_found', null];

  it.each([
    ['publicAddressRate', 'rate_limit_per_ip'],
    ['publicAccountRate', 'rate_limit_public_per_account'],
  ] as const)('%s counts public ones alone', async (name, code) => {
    const made = await still({ [name]: 2 });
    try {
      const open = await made.client({}, 'public');
      expect([await read(open), await read(open), await read(open)]).toEqual([found, found, [429, code, '1']]);
      expect(await read(await made.client({}, 'basic'))).toEqual(found);
    } finally {
      await made.close();
    }
  });

  it('accountRate counts every mode and every application of an account, and nobody who is not let in', async () => {
    const made = await still({ accountRate: 2 });
    try {
      expect((await request(made.url, 'GET', '/api/v1/verifications/x')).status).toBe(401);
      expect(await read(await made.client({}, 'public'))).toEqual(found);
      expect(await read(await made.client({}, 'basic'))).toEqual(found);
      expect(await read(await made.client({}, 'basic'))).toEqual([429, 'rate_limit_per_account', '1']);
    } finally {
      await made.close();
    }
  });

  it('are counted anew in each', () => {
    const rates = createRequestRates();
    const settings = { ...shippedSettings('sandbox'), accountRate: 1 };
    const ask = (ms: number, accountId = 'a') => {
      const by = { application: { accountId }, mode: 'basic' } as const;
      rates.count(by, '127.0.0.1', settings, new Date(ms));
    };
    ask(1000);
    ask(1000, 'b');
    expect(() => ask(1999)).toThrow('rate_limit_per_account');
    ask(2000);
  });
});

describe('the settings', () => {
  it.each([
    [{ retentionHours: 23 }, 'retentionHours must be a whole number from 24 to 1000000, not 23.'],
    [
      { destinationBudget: { limit: 0, seconds: 1 } },
      'destinationBudget.limit must be a whole number from 1 to 1000000000, not 0.',
    ],
    [{ countries: ['Germany'] }, 'countries[0] must be an ISO country such as DE, not "Germany".'],
    [{ unknownNumbers: 'perhaps' }, 'unknownNumbers must be "allow" or "refuse", not "perhaps".'],
    [{ nonsense: 1 }, 'nonsense is not a member that Trunkline knows.'],
  ])('%j is refused', async (changes, text) => {
    await expect(changeSettings(server.env, changes)).rejects.toThrow(text);
    expect(await readSettings(server.env)).toEqual(shippedSettings('sandbox'));
  });
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

it('failed authentications count per address until their window ends', () => {
  let now = 0;
  const failures = createFailedAuthentications(undefined, () => now);
  const limit = { limit: 2, seconds: 10 };
  failures.count('10.0.0.1', limit);
  expect(failures.wait('10.0.0.1', limit)).toBe(0);
  failures.count('10.0.0.1', limit);
  now = 4500;
  expect(failures.wait('10.0.0.1', limit)).toBe(6);
  expect(failures.wait('10.0.0.2', limit)).toBe(0);
  expect(failures.wait('10.0.0.1', null)).toBe(0);
  now = 10_000;
  expect(failures.wait('10.0.0.1', limit)).toBe(0);
});
