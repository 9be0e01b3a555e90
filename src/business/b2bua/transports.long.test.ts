/** Calls through the B2BUA by TLS with verified certificates, by IPv6, and by names with several targets (RFC 3263). */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Resolver, SrvRecord } from '../../engines/sip/resolve/resolver.ts';
import { authority, serverCertificate, serverKey } from '../../engines/sip/transport/certificates.fixture.ts';
import { updateCarrier } from '../voice/carriers/carriers.ts';
import { callingOut } from './calling-out.fixture.ts';
import { createWorld, type Phone, type World } from './world.fixture.ts';

/** Any name has this machine's addresses; services are those that a test adds. */
const services = new Map<string, SrvRecord[]>();
const resolver: Resolver = {
  naptr: async () => [],
  srv: async (name) => services.get(name) ?? [],
  addresses: async (_name, family) => [family === 6 ? '::1' : '127.0.0.1'],
};

const shown = { server: { cert: serverCertificate, key: serverKey }, ca: authority };

let world: World;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-tls-'));
  const file = async (name: string, text: string) => {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };
  world = await createWorld({
    resolver,
    tlsPort: 0,
    sip: {
      certificateFile: await file('certificate.pem', serverCertificate),
      keyFile: await file('key.pem', serverKey),
      authoritiesFile: await file('authority.pem', authority),
      advertised: [{ host: 'sip.test', port: null }],
    },
  });
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const answeredByTrunk = { success: true, disconnect_code: 200, disconnect_initiator: 'Destination', attempt: 1 };

async function hungUpBy(one: Phone, other: Phone): Promise<void> {
  await expect.poll(() => one.events).toContain('ack');
  one.sessions[0]?.hangUp();
  await expect.poll(() => other.events.at(-1)).toBe('ended remote');
}

test('TLS on both legs, verified by name; the far side hangs up over the same connection (traps 1, 18, 19)', async () => {
  const [caller, trunk] = [await world.phone({ tls: shown }), await world.phone({ tls: shown })];
  const { number, accountId } = await world.number([trunk.port], { host: 'sip.test', transport_protocol_id: 3 });
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['180', 'answered']);
  const [invite] = trunk.invites;
  expect(invite?.headers.first('Via')).toMatch(/^SIP\/2\.0\/TLS sip\.test:/);
  expect(invite?.headers.first('Contact')).toBe(`<sip:sip.test:${world.endpoint.ports.tls};transport=tls>`);
  await hungUpBy(trunk, caller);
  await expect.poll(() => world.cdrs(number)).toMatchObject([answeredByTrunk]);
  expect(await world.eventsByCall(accountId)).toEqual(['in: start connect end']);
});

test('a trunk that shows the certificate of another name gets no call', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone({ tls: shown })];
  const { number, accountId } = await world.number([trunk.port], { host: 'other.test', transport_protocol_id: 3 });
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['failed 503']);
  expect(trunk.invites).toEqual([]);
  expect(await world.cdrs(number)).toMatchObject([
    { success: false, disconnect_code: 503, disconnect_initiator: 'Switch' },
  ]);
  expect(await world.eventsByCall(accountId)).toEqual(['in: start end']);
});

test('the certificate of a carrier: refused for another name, accepted for the name that is set, or not checked', async () => {
  const { env } = world.world;
  const { call, accountId, customer, carrier, carrierName } = await callingOut(world, {
    phone: { tls: shown },
    carrier: { host: 'other.test', transport: 'tls' },
  });
  call();
  await expect.poll(() => customer.events).toEqual(['failed 503']);
  expect(carrier.invites).toEqual([]);
  await updateCarrier(env, carrierName, { certificateName: 'sip.test' });
  call();
  await expect.poll(() => customer.events.at(-1)).toBe('answered');
  customer.sessions[0]?.hangUp();
  await updateCarrier(env, carrierName, { certificateName: null, verifyCertificate: false });
  call();
  await expect.poll(() => customer.events.filter((event) => event === 'answered')).toHaveLength(2);
  customer.sessions[1]?.hangUp();
  await expect.poll(() => carrier.events.filter((event) => event === 'ended remote')).toHaveLength(2);
  await expect.poll(() => world.cdrsOut(accountId)).toHaveLength(3);
  const codes = (await world.cdrsOut(accountId)).map((cdr) => [cdr.disconnect_code, cdr.carrier_name]);
  expect(codes.sort()).toEqual([200, 200, 503].map((code) => [code, carrierName]));
  expect(await world.eventsByCall(accountId)).toEqual([
    'out: start end',
    'out: start connect end',
    'out: start connect end',
  ]);
});

test('IPv6 on both legs, inbound and outbound', async () => {
  const [caller, trunk] = [await world.phone({ host: '::1' }), await world.phone({ host: '::1' })];
  const { number, accountId } = await world.number([trunk.port], { host: '::1' });
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['180', 'answered']);
  expect(trunk.invites[0]?.uri).toBe(`sip:${number}@[::1]:${trunk.port}`);
  await hungUpBy(trunk, caller);
  await expect.poll(() => world.cdrs(number)).toMatchObject([answeredByTrunk]);
  expect(await world.eventsByCall(accountId)).toEqual(['in: start connect end']);
  const out = await callingOut(world, {
    ...{ customer: await world.phone({ host: '::1' }), phone: { host: '::1' }, carrier: { host: '::1' } },
  });
  const { customer, carrier } = out;
  out.call();
  await expect.poll(() => customer.events).toEqual(['180', 'answered']);
  expect(carrier.invites[0]?.uri).toMatch(/@\[::1\]:/);
  await hungUpBy(carrier, customer);
  await expect
    .poll(() => world.cdrsOut(out.accountId))
    .toMatchObject([{ success: true, disconnect_code: 200, carrier_name: out.carrierName }]);
  expect(await world.eventsByCall(out.accountId)).toEqual(['out: start connect end']);
});

test('a name with a dead target, one that answers 503, and one that works; the bad ones are tried last afterwards (trap 24)', async () => {
  const [caller, broken, working] = [await world.phone(), await world.phone(), await world.phone()];
  broken.onCall = (call) => call.reject(503);
  const dead = await world.phone();
  await dead.close();
  const record = (priority: number, { port }: Phone) => ({ priority, weight: 1, port, name: `n${priority}.pbx.test` });
  services.set('_sip._udp.pbx.test', [record(1, dead), record(2, broken), record(3, working)]);
  const { number } = await world.number([0], { host: 'pbx.test', port: null, dns_srv_failover_timer: 500 });
  caller.dial(number);
  await expect.poll(() => caller.events.at(-1)).toBe('answered');
  expect(broken.invites).toHaveLength(1);
  expect(working.invites[0]?.callId).toBe(broken.invites[0]?.callId);
  caller.dial(number);
  await expect.poll(() => caller.events.filter((event) => event === 'answered')).toHaveLength(2);
  expect([broken.invites.length, working.invites.length]).toEqual([1, 2]);
  for (const session of caller.sessions) session.hangUp();
  await expect.poll(() => world.cdrs(number)).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
});
