/** Calls through the B2BUA by TLS with verified certificates, by IPv6, and by names with several targets (RFC 3263). */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDialers } from '../../test/support/dialers.ts';
import type { Resolver, SrvRecord } from '../sip/resolve/resolver.ts';
import { authority, serverCertificate, serverKey } from '../sip/transport/certificates.fixture.ts';
import { type CarrierSettings, createCarrier, updateCarrier } from '../voice/carriers/carriers.ts';
import { addRoute } from '../voice/carriers/routes.ts';
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
  await world.world.env.db
    .insertInto('voice_rates')
    .values({ kind: 'termination', prefix: '49', per_minute: '0.6', country: 'Germany', network: 'Fixed' })
    .execute();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

async function hungUpBy(one: Phone, other: Phone): Promise<void> {
  await expect.poll(() => one.events).toContain('ack');
  one.sessions[0]?.hangUp();
  await expect.poll(() => other.events.at(-1)).toBe('ended remote');
}

test('TLS on both legs, verified by name; the far side hangs up over the same connection (traps 1, 18, 19)', async () => {
  const [caller, trunk] = [await world.phone({ tls: shown }), await world.phone({ tls: shown })];
  const { number } = await world.number([trunk.port], { host: 'sip.test', transport_protocol_id: 3 });
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['180', 'answered']);
  const [invite] = trunk.invites;
  expect(invite?.headers.first('Via')).toMatch(/^SIP\/2\.0\/TLS sip\.test:/);
  expect(invite?.headers.first('Contact')).toBe(`<sip:sip.test:${world.endpoint.ports.tls};transport=tls>`);
  await hungUpBy(trunk, caller);
  await expect.poll(() => world.cdrs(number)).toMatchObject([{ disconnect_initiator: 'Destination' }]);
});

test('a trunk that shows the certificate of another name gets no call', async () => {
  const [caller, trunk] = [await world.phone(), await world.phone({ tls: shown })];
  const { number } = await world.number([trunk.port], { host: 'other.test', transport_protocol_id: 3 });
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['failed 503']);
  expect(trunk.invites).toEqual([]);
});

/** A customer's call out through one carrier at this port. */
async function callOut(name: string, port: number, settings: Partial<CarrierSettings>, customer: Phone) {
  const { env } = world.world;
  const prefix = `49${port}`;
  await createCarrier(env, { name, host: 'other.test', port, transport: 'tls', ...settings });
  await addRoute(env, { carrier: name, prefix, priority: 1, weight: 1 });
  const credentials = { username: name, password: 'p' };
  const authentication = { allowed_sip_ips: ['127.0.0.0/8', '::1'], tech_prefix: null, ...credentials };
  const dialer = await createDialers(world.world, world.telephony)({ authentication: JSON.stringify(authentication) });
  return () => customer.dial(`${prefix}123`, { from: `<sip:+${dialer.number}@127.0.0.1>`, account: credentials });
}

test('the certificate of a carrier: refused for another name, accepted for the name that is set, or not checked', async () => {
  const { env } = world.world;
  const [customer, carrier] = [await world.phone(), await world.phone({ tls: shown })];
  const call = await callOut('secure', carrier.port, {}, customer);
  call();
  await expect.poll(() => customer.events).toEqual(['failed 503']);
  expect(carrier.invites).toEqual([]);
  await updateCarrier(env, 'secure', { certificateName: 'sip.test' });
  call();
  await expect.poll(() => customer.events.at(-1)).toBe('answered');
  customer.sessions[0]?.hangUp();
  await updateCarrier(env, 'secure', { certificateName: null, verifyCertificate: false });
  call();
  await expect.poll(() => customer.events.filter((event) => event === 'answered')).toHaveLength(2);
  customer.sessions[1]?.hangUp();
  await expect.poll(() => carrier.events.filter((event) => event === 'ended remote')).toHaveLength(2);
});

test('IPv6 on both legs, inbound and outbound', async () => {
  const [caller, trunk] = [await world.phone({ host: '::1' }), await world.phone({ host: '::1' })];
  const { number } = await world.number([trunk.port], { host: '::1' });
  caller.dial(number);
  await expect.poll(() => caller.events).toEqual(['180', 'answered']);
  expect(trunk.invites[0]?.uri).toBe(`sip:${number}@[::1]:${trunk.port}`);
  await hungUpBy(trunk, caller);
  const carrier = await world.phone({ host: '::1' });
  const customer = await world.phone({ host: '::1' });
  const call = await callOut('six', carrier.port, { host: '::1', transport: 'udp' }, customer);
  call();
  await expect.poll(() => customer.events).toEqual(['180', 'answered']);
  expect(carrier.invites[0]?.uri).toMatch(/@\[::1\]:/);
  await hungUpBy(carrier, customer);
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
  await expect.poll(() => caller.events.at(-1), { timeout: 5_000 }).toBe('answered');
  expect(broken.invites).toHaveLength(1);
  expect(working.invites[0]?.callId).toBe(broken.invites[0]?.callId);
  caller.dial(number);
  await expect.poll(() => caller.events.filter((event) => event === 'answered'), { timeout: 5_000 }).toHaveLength(2);
  expect([broken.invites.length, working.invites.length]).toEqual([1, 2]);
  for (const session of caller.sessions) session.hangUp();
  await expect.poll(() => world.cdrs(number)).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
});
