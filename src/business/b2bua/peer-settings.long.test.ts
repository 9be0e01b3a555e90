/**
 * Settings of trunks and carriers in what they are sent: switches of carriers, media rules, diversions, emergency
 * calls.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerAddress } from '../../../test/support/emergency-address.ts';
import { updateCarrier } from '../voice/carriers/carriers.ts';
import { callingOut } from './calling-out.fixture.ts';
import { createWorld, type Phone, sdp, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

function hangUpAll(...phones: Phone[]): void {
  for (const { sessions } of phones) for (const session of sessions) session.hangUp();
}

test('a carrier that needs user=phone gets every number marked, until the switch is off again (trap 23)', async () => {
  const { customer, carrier, carrierName, number, call } = await callingOut(world, { carrier: { userPhone: true } });
  call();
  await expect.poll(() => customer.events).toEqual(['180', 'answered']);
  const marked = carrier.invites.at(-1);
  expect(marked?.uri).toMatch(/^sip:\+4\d+@127\.0\.0\.1:\d+;user=phone$/);
  const own = `sip:+${number}@127.0.0.1;user=phone>`;
  expect(['From', 'P-Asserted-Identity', 'To'].map((header) => marked?.headers.first(header))).toEqual([
    expect.stringContaining(own),
    expect.stringContaining(own),
    expect.stringContaining('@127.0.0.1;user=phone>'),
  ]);
  await updateCarrier(world.world.env, carrierName, { userPhone: false });
  call();
  await expect.poll(() => carrier.invites).toHaveLength(2);
  expect(JSON.stringify(carrier.invites[1]?.headers.all('From'))).not.toContain('user=phone');
  expect(carrier.invites[1]?.uri).not.toContain('user=phone');
  await expect.poll(() => customer.sessions).toHaveLength(2);
  hangUpAll(customer);
});

test('reliable provisional responses as a carrier wants them: off, supported, required (trap 6)', async () => {
  const { customer, carrier, carrierName, call } = await callingOut(world);
  const seen: Record<string, boolean[]> = {};
  for (const [index, reliable] of (['off', 'supported', 'required'] as const).entries()) {
    await updateCarrier(world.world.env, carrierName, { reliable });
    call();
    await expect.poll(() => carrier.invites).toHaveLength(index + 1);
    const headers = carrier.invites[index]?.headers;
    seen[reliable] = ['Supported', 'Require'].map((header) => headers?.lists(header, '100rel') ?? false);
    await expect.poll(() => customer.sessions).toHaveLength(index + 1);
  }
  expect(seen).toEqual({ off: [false, false], supported: [true, false], required: [true, true] });
  hangUpAll(customer);
});

test('media from addresses that a trunk does not allow are 488, on the way in and on the way out', async () => {
  const allowed_rtp_ips = ['192.0.2.0/24'];
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number, accountId } = await world.number([trunk.port], { allowed_rtp_ips });
  const moved = ({ body, ...content } = sdp('0')) => ({
    ...content,
    body: Buffer.from(String(body).replaceAll('127.0.0.1', '11.0.0.1')),
  });
  const own = trunk.onCall;
  trunk.onCall = (call) => void trunk.answer(call, moved());
  caller.dial(number);
  // The trunk has answered with media at an address that anybody reaches and is not on its list: it is hung up.
  await expect.poll(() => caller.events.at(-1)).toBe('failed 488');
  await expect.poll(() => trunk.events.at(-1)).toBe('ended remote');
  expect(await world.cdrs(number)).toMatchObject([{ success: false, disconnect_code: 488 }]);
  expect(await world.eventsByCall(accountId)).toEqual(['in: start end']);
  // Behind NAT it describes an address that says nothing: the packets tell where it is.
  trunk.onCall = own;
  caller.dial(number);
  await expect.poll(() => caller.events.at(-1)).toBe('answered');
  const out = await callingOut(world, { trunk: { allowed_rtp_ips } });
  out.call(undefined, moved(sdp()));
  await expect.poll(() => out.customer.events).toEqual(['failed 488']);
  expect(out.carrier.invites).toEqual([]);
  out.call();
  await expect.poll(() => out.customer.events.at(-1)).toBe('answered');
  await expect.poll(() => world.cdrsOut(out.accountId)).toMatchObject([{ disconnect_code: 488 }]);
  hangUpAll(caller, out.customer);
});

test('diversions are passed on as the trunk wants them, and the called number is added where it asks for it', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const came = '<sip:+442079460000@carrier.test;user=phone>;reason=no-answer;privacy=off';
  const seen: Record<string, string[]> = {};
  for (const policy of ['none', 'as_is', 'sip', 'tel']) {
    const { number } = await world.number([trunk.port], {
      diversion_relay_policy: policy,
      diversion_inject_mode: policy === 'tel' ? 'did_number' : 'none',
    });
    caller.dial(number, { extra: { headers: [['Diversion', came]], content: sdp() } });
    await expect.poll(() => trunk.invites.at(-1)?.uri).toContain(number);
    const diversions = trunk.invites.at(-1)?.headers.all('Diversion') ?? [];
    seen[policy] = diversions.map((value) => value.replace(number, 'NUMBER'));
  }
  expect(seen).toEqual({
    none: [],
    as_is: [came],
    sip: ['<sip:442079460000@127.0.0.1>'],
    tel: ['<sip:NUMBER@127.0.0.1>;reason=unconditional', '<tel:+442079460000>'],
  });
  await expect.poll(() => caller.sessions).toHaveLength(4);
  hangUpAll(caller);
});

test('an emergency call goes to its carrier with priority and the registered address, and is charged nothing', async () => {
  const { customer, carrier, carrierName, call, ...dialer } = await callingOut(world, {
    carrier: { emergencyCountries: ['GB'] },
    trunk: { emergency_enable_all: true },
    did: { emergency_enabled: true },
  });
  await registerAddress(world.world.env, dialer, '1 "Old" Street', 'approved');
  call('999');
  await expect.poll(() => customer.events).toEqual(['180', 'answered']);
  const [invite] = carrier.invites;
  expect(invite?.uri).toBe(`sip:999@127.0.0.1:${carrier.port}`);
  const headers = ['Priority', 'Resource-Priority', 'X-Emergency-Address'].map((header) =>
    invite?.headers.first(header),
  );
  expect(headers).toEqual(['emergency', 'esnet.1', expect.stringContaining(`+${dialer.number};caller-country=GB;`)]);
  expect(headers[2]).toContain('address="1 \\"Old\\" Street"');
  hangUpAll(customer);
  await expect
    .poll(() => world.cdrsOut(dialer.accountId))
    .toMatchObject([{ call_type: 'EMERGENCY', price: '0.0000', success: true, carrier_name: carrierName }]);
  expect(await world.eventsByCall(dialer.accountId)).toEqual(['out: start connect end']);
  // A customer whose number is not enabled is refused, and told why.
  const other = await callingOut(world);
  other.call('999');
  await expect.poll(() => other.customer.events).toEqual(['failed 403']);
  expect(other.customer.responses[0]?.headers.first('Reason')).toContain('not enabled for emergency calls');
  await expect.poll(() => world.refused.at(-1)).toMatchObject({ code: 403, reason: 'emergency_not_enabled' });
});
