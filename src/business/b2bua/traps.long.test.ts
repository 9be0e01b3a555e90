/** What goes wrong most often between SIP servers, met as it happens; docs/sip.md lists all traps with their tests. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, sdp, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

test('CANCEL before the routing has ended: nothing is dialled (trap 7)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number, accountId } = await world.number([trunk.port]);
  const client = await world.world.env.pool.connect();
  await client.query('begin; lock table dids in access exclusive mode');
  const call = caller.dial(number);
  // The INVITE has been read when its transaction is known; CANCEL goes out with the 100.
  await expect.poll(() => world.endpoint.admission.inSetup).toBe(1);
  call.cancel();
  await expect.poll(() => caller.events).toEqual(['failed 487']);
  await expect.poll(() => world.endpoint.agent.dialogs).toBe(0);
  await client.query('commit');
  client.release();
  await expect
    .poll(() => world.cdrs(number))
    .toMatchObject([{ success: false, disconnect_code: 487, disconnect_initiator: 'Origination', duration: 0 }]);
  expect(await world.eventsByCall(accountId)).toEqual(['in: start end']);
  expect(trunk.invites).toEqual([]);
  await expect.poll(() => world.endpoint.admission.inSetup).toBe(0);
});

test('a caller who is not to be shown has no number in any header to the trunk (trap 21)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port], { stir_shaken_mode: 'pai' });
  const asserted: readonly [string, string] = ['P-Asserted-Identity', '<sip:+442071111111@carrier.test>'];
  caller.dial(number, { extra: { headers: [asserted, ['Privacy', 'id']], content: sdp() } });
  await expect.poll(() => trunk.invites).toHaveLength(1);
  const [hidden] = trunk.invites;
  expect(hidden?.headers.first('From')).toMatch(/^"Anonymous" <sip:anonymous@anonymous\.invalid>/);
  expect(hidden?.headers.first('Privacy')).toBe('id');
  const all = [...(hidden?.headers.all('From') ?? []), ...(hidden?.headers.all('P-Asserted-Identity') ?? [])].join();
  expect(all).not.toMatch(/442071/);
  caller.dial(number, { extra: { headers: [asserted], content: sdp() } });
  await expect.poll(() => trunk.invites).toHaveLength(2);
  expect(trunk.invites[1]?.headers.first('P-Asserted-Identity')).toContain('442071111111@');
  for (const session of caller.sessions) session.hangUp();
});

test('Identity goes to trunks that want it only (trap 21)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const identity: readonly [string, string] = ['Identity', 'abc;info=<https://ca.test/c.pem>;alg=ES256'];
  for (const mode of ['disabled', 'original']) {
    const { number } = await world.number([trunk.port], { stir_shaken_mode: mode });
    caller.dial(number, { extra: { headers: [identity], content: sdp() } });
    await expect.poll(() => trunk.invites.at(-1)?.uri).toContain(number);
    expect(trunk.invites.at(-1)?.headers.first('Identity')).toBe(mode === 'original' ? identity[1] : undefined);
  }
  for (const session of caller.sessions) session.hangUp();
});

test('unknown headers and parameters, and user=phone, do not hurt (trap 23)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port]);
  caller.dial(number, {
    uri: `sip:+${number};npdi;rn=442071@127.0.0.1;user=phone;x-odd=1`,
    extra: {
      headers: [
        ['X-Unheard-Of', 'a;b="c", <d>'],
        ['P-Charging-Vector', 'icid-value=1'],
      ],
      content: sdp(),
    },
  });
  await expect.poll(() => caller.events).toEqual(['180', 'answered']);
  expect(trunk.invites[0]?.uri).toBe(`sip:${number}@127.0.0.1:${trunk.port}`);
  expect(trunk.invites[0]?.headers.has('X-Unheard-Of')).toBe(false);
  caller.sessions[0]?.hangUp();
});

test('a trunk that needs user=phone gets its numbers marked (trap 23)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port], {}, { user_phone: true });
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['180', 'answered']);
  const [invite] = trunk.invites;
  expect(invite?.uri).toBe(`sip:${number}@127.0.0.1:${trunk.port};user=phone`);
  expect(invite?.headers.first('To')).toContain(`${number}@127.0.0.1:${trunk.port};user=phone>`);
  expect(invite?.headers.first('From')).toContain('442071234567@127.0.0.1;user=phone>');
  caller.sessions[0]?.hangUp();
});

test('reliable provisional responses as a trunk wants them: off, supported, required (trap 6)', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const seen: Record<string, boolean[]> = {};
  for (const mode of ['off', 'supported', 'required']) {
    const { number } = await world.number([trunk.port], {}, { reliable_provisionals: mode });
    caller.dial(number);
    await expect.poll(() => trunk.invites.at(-1)?.uri).toContain(number);
    const headers = trunk.invites.at(-1)?.headers;
    seen[mode] = ['Supported', 'Require'].map((name) => headers?.lists(name, '100rel') ?? false);
  }
  expect(seen).toEqual({ off: [false, false], supported: [true, false], required: [true, true] });
  await expect.poll(() => caller.sessions).toHaveLength(3);
  for (const session of caller.sessions) session.hangUp();
});

test('a line break in a setting never becomes a header', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone()];
  const { number } = await world.number([trunk.port], { auth_from_user: 'main\r\nX-Evil: 1' });
  caller.dial(number);
  await expect.poll(() => trunk.invites).toHaveLength(1);
  expect(trunk.invites[0]?.headers.has('X-Evil')).toBe(false);
  expect(trunk.invites[0]?.headers.first('From')).toContain('main');
  caller.sessions[0]?.hangUp();
});
