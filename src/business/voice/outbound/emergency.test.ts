/** Emergency calls of customers. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDialers, type Dialer } from '../../../../test/support/dialers.ts';
import { registerAddress } from '../../../../test/support/emergency-address.ts';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { useTelephony } from '../../../../test/support/use-telephony.ts';
import { createCarrier, updateCarrier } from '../carriers/carriers.ts';
import { createRouteFinder } from '../carriers/find-routes.ts';
import { addRoute, setCarrierRate } from '../carriers/routes.ts';
import { hangUp } from '../disconnect-codes.ts';
import { writeStream } from '../events/stream-settings.ts';
import { later } from '../moment.ts';
import { setVoiceRate } from '../rates.ts';
import { candidateTrunks, situationOf } from './find-trunks.ts';
import { placeCall } from './place-call.ts';

const { house, telephony, voice } = useTelephony();
const customer = createDialers(house, telephony);
beforeAll(async () => {
  // What a call to 999 or 112 would cost if it were an ordinary call.
  await setVoiceRate(house.env, { kind: 'termination', prefix: '', perMinute: '0.6', country: 'Elsewhere' });
  await runDueJobs(house.env);
});
beforeEach(async () => {
  await house.env.db.deleteFrom('carriers').execute();
  await createCarrier(house.env, { name: 'ordinary', host: 'ordinary.example.net' });
  await addRoute(house.env, { carrier: 'ordinary', prefix: '', priority: 1, weight: 1 });
  await createCarrier(house.env, { name: 'rescue', host: 'rescue.example.net', emergencyCountries: ['GB'] });
  await setCarrierRate(house.env, 'rescue', { prefix: '', perMinute: '0.1' });
});

const leg = { sourcePort: 5060, sourceProtocol: 'UDP', callId: 'leg-a@pbx' } as const;
const enabled = { emergency_enabled: true } as const;
const dial = ({ request }: Dialer, to: string, from = request.from) =>
  placeCall(voice, { ...request, ...leg, from, to: `7#${to}` }, createRouteFinder(house.env));

async function placed(from: Dialer, to: string) {
  const result = await dial(from, to);
  if (!('live' in result)) throw new Error(JSON.stringify(result));
  return result;
}

const cdrs = (trunkId: string) =>
  house.env.db.selectFrom('cdrs_out').selectAll().where('voice_out_trunk_id', '=', trunkId).execute();

describe('an emergency call', () => {
  test('goes to the carrier marked for the country with the registered address, and costs nothing', async () => {
    const caller = await customer({ emergency_enable_all: true }, enabled);
    await registerAddress(house.env, caller, '1 Old Street', 'approved');
    await registerAddress(house.env, caller, '2 New Street', 'approved', 1);
    await registerAddress(house.env, caller, '3 Next Street', 'pending', 2);
    for (const stream of ['voice_out_events', 'voice_out_cdr'] as const) {
      await writeStream(house.env, caller.accountId, stream, { url: 'http://127.0.0.1:9/' });
    }
    const { live, emergency } = await placed(caller, '999');
    expect(live.target).toMatchObject({ carrier: { name: 'rescue' }, host: 'rescue.example.net' });
    expect(emergency).toEqual({
      ...{ number: caller.number, country: 'GB', countryName: 'United Kingdom' },
      address: {
        ...{ name: 'Ada Byron', companyName: null, address: '2 New Street' },
        ...{ city: 'London', postalCode: 'W1', country: 'GB' },
      },
    });
    const connect = house.clock.now();
    await live.answered(connect);
    await live.end(hangUp, later(connect, 600));

    expect(await cdrs(caller.trunkId)).toMatchObject([
      {
        ...{ success: true, duration: 600, billing_duration: 0, price: '0.0000', rate: null, call_type: 'EMERGENCY' },
        ...{ src_number: caller.number, dst_number: '7#999', country: 'United Kingdom', network: null },
        ...{ carrier_name: 'rescue', carrier_cost: null, margin: null },
      },
    ]);
    const account = house.env.db.selectFrom('accounts').select('balance').where('id', '=', caller.accountId);
    expect((await account.executeTakeFirstOrThrow()).balance).toBe('100.0000');
    const events = await house.env.db
      .selectFrom('call_events')
      .select('body')
      .where('account_id', '=', caller.accountId)
      .orderBy('id')
      .execute();
    const bodies = events.map(({ body }) => JSON.parse(body));
    const unbilled = { rate: null, initial_billing_interval: null, dst_number: '7#999' };
    expect(bodies).toMatchObject([
      { type: 'outbound-call-start-event', attributes: unbilled },
      { type: 'outbound-call-connect-event', attributes: unbilled },
      { type: 'outbound-call-end-event', attributes: unbilled },
      { type: 'outbound-cdr', attributes: { ...unbilled, call_type: 'EMERGENCY', price: '0.0', success: true } },
    ]);
    expect(JSON.stringify(events)).not.toContain('Street');
  });

  test('is not refused for balance, threshold, destinations or capacity', async () => {
    const trunk = {
      emergency_enable_all: true,
      status: 'blocked',
      threshold_reached: true,
      capacity_limit: 0,
    } as const;
    const caller = await customer({ ...trunk, default_dst_action: 'reject_all' }, enabled);
    await house.env.db.updateTable('accounts').set({ credit: '-500' }).where('id', '=', caller.accountId).execute();
    for (const to of ['999', '112']) {
      const { live, emergency } = await placed(caller, to);
      expect([live.target?.carrier.name, emergency?.address]).toEqual(['rescue', null]);
      await live.end(hangUp, house.clock.now());
    }
    expect(await dial(caller, '4930123')).toMatchObject({ code: 403, reason: 'threshold_reached' });
  });

  test('depends on the status of the trunk as it is when the threshold is read', async () => {
    const caller = await customer({ emergency_enable_all: true }, enabled);
    const [trunk] = await candidateTrunks(house.env, caller.request);
    if (trunk === undefined) throw new Error('the trunk is found by its address');
    const numbers = { from: caller.number, destination: '999' };
    const situation = await situationOf(house.env, { ...trunk, status: 'blocked' }, numbers);
    expect(situation?.facts).toMatchObject({ trunk: { status: 'active' }, thresholdReached: false });
  });

  test('tries every carrier for the country, then those for all countries, whatever the code', async () => {
    await createCarrier(house.env, {
      name: 'last',
      host: 'last.example.net',
      emergencyCountries: ['all'],
      priority: 1,
    });
    await createCarrier(house.env, { name: 'second', host: 'b.example.net', emergencyCountries: ['GB'], priority: 20 });
    await createCarrier(house.env, { name: 'abroad', host: 'c.example.net', emergencyCountries: ['US'], priority: 1 });
    const { live } = await placed(await customer({ emergency_enable_all: true }, enabled), '999');
    for (const code of [486, 603]) expect(await live.attemptFailed({ code }, house.clock.now())).toBe('rerouted');
    expect(await live.attemptFailed({ code: 404 }, house.clock.now())).toBe('ended');
    expect(live.call.attempts.map(({ carrier }) => carrier?.name)).toEqual(['rescue', 'second', 'last']);
  });

  test('goes out from the numbers listed for the trunk', async () => {
    const caller = await customer({}, enabled);
    expect(await dial(caller, '999')).toMatchObject({ code: 403, reason: 'emergency_not_enabled' });
    const link = { voice_out_trunk_id: caller.trunkId, did_id: caller.didId };
    await house.env.db.insertInto('voice_out_trunk_emergency_dids').values(link).execute();
    const { live } = await placed({ ...caller, request: { ...caller.request, from: `+${caller.number}` } }, '999');
    expect(live.call.srcNumber).toBe(caller.number);
    await live.end(hangUp, house.clock.now());
    // No longer enabled: the link alone is not enough.
    await house.env.db.updateTable('dids').set({ emergency_enabled: false }).where('id', '=', caller.didId).execute();
    expect(await dial(caller, '999')).toMatchObject({ code: 403, reason: 'emergency_not_enabled' });
  });
});

describe('what is refused, with a CDR that costs nothing', () => {
  test.each([
    ['a caller id of another kind', '999', '15550100', { code: 403, reason: 'emergency_not_enabled' }],
    ['an emergency number of another country', '911', undefined, { code: 404, reason: 'emergency_number_elsewhere' }],
  ])('%s', async (_, to, from, refusal) => {
    const caller = await customer({ emergency_enable_all: true, on_cli_mismatch_action: 'send_original_cli' }, enabled);
    expect(await dial(caller, to, from)).toMatchObject(refusal);
    expect(await cdrs(caller.trunkId)).toMatchObject([
      { success: false, disconnect_code: refusal.code, price: '0.0000', rate: null, call_type: 'EMERGENCY' },
    ]);
  });

  test('no carrier for the country: the others are not tried', async () => {
    await updateCarrier(house.env, 'rescue', { emergencyCountries: ['US'] });
    const caller = await customer({ emergency_enable_all: true }, enabled);
    expect(await dial(caller, '999')).toMatchObject({ code: 503, reason: 'no_emergency_carrier' });
  });
});
