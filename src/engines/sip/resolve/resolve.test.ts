/** From a URI to addresses: SRV, A and AAAA. */
import { expect, test } from 'vitest';
import { parseSipUriOnly } from '../message/uri.ts';
import { SeededRandom } from '../simulation/seeded-random.fixture.ts';
import { SimulatedTimers } from '../simulation/simulated-timers.fixture.ts';
import type { Target } from '../transport/wire.ts';
import { type LocateOptions, locate, orderSrv } from './locate.ts';
import { nextHopTarget } from './next-hop.ts';
import type { Resolver } from './resolver.ts';
import { TargetHealth } from './target-health.ts';

const zone: Record<string, unknown[]> = {
  'NAPTR full.test': [
    { order: 20, preference: 1, flags: 's', service: 'SIP+D2U', replacement: '_sip._udp.full.test' },
    { order: 10, preference: 2, flags: 's', service: 'SIPS+D2T', replacement: '_sips._tcp.full.test' },
    { order: 10, preference: 1, flags: 's', service: 'SIP+D2S', replacement: '_sip._sctp.full.test' },
    { order: 1, preference: 1, flags: 'u', service: 'E2U+sip', replacement: '' },
  ],
  'SRV _sips._tcp.full.test': [{ priority: 1, weight: 1, port: 5071, name: 'a.full.test' }],
  'SRV _sip._udp.full.test': [{ priority: 1, weight: 1, port: 5070, name: 'a.full.test' }],
  'A a.full.test': ['192.0.2.1'],
  'A full.test': ['192.0.2.99'],
  'SRV _sip._tcp.srv.test': [
    { priority: 20, weight: 0, port: 5062, name: 'b.srv.test' },
    { priority: 10, weight: 0, port: 5061, name: 'a.srv.test' },
    { priority: 5, weight: 0, port: 1, name: '.' },
  ],
  'A a.srv.test': ['192.0.2.11', '192.0.2.12'],
  'AAAA a.srv.test': ['2001:db8::11'],
  'A b.srv.test': ['192.0.2.13'],
  'A plain.test': ['192.0.2.21'],
};

const queries: string[] = [];
function look<Row>(kind: string, name: string): Promise<Row[]> {
  queries.push(`${kind} ${name}`);
  return Promise.resolve((zone[`${kind} ${name}`] ?? []) as Row[]);
}
const resolver: Resolver = {
  naptr: (name) => look('NAPTR', name),
  srv: (name) => look('SRV', name),
  addresses: (name, family) => look(family === 6 ? 'AAAA' : 'A', name),
};
const options: LocateOptions = { resolver, transports: ['UDP', 'TCP', 'TLS'], families: [4], random: () => 0 };
const found = async (uri: string, changes: Partial<LocateOptions> = {}) =>
  (await locate(parseSipUriOnly(uri), { ...options, ...changes })).map(
    ({ transport, address, port }) => `${transport} ${address} ${port}`,
  );

test.each([
  ['sip:192.0.2.5', ['UDP 192.0.2.5 5060']],
  ['sip:192.0.2.5:5070;transport=tcp', ['TCP 192.0.2.5 5070']],
  ['sips:192.0.2.5', ['TLS 192.0.2.5 5061']],
  ['sip:[2001:db8::5]', ['UDP 2001:db8::5 5060']],
  ['sip:plain.test', ['UDP 192.0.2.21 5060']],
  ['sip:plain.test:5080', ['UDP 192.0.2.21 5080']],
  ['sip:plain.test;transport=tls', ['TLS 192.0.2.21 5061']],
  ['sip:full.test', ['TLS 192.0.2.1 5071']],
  ['sip:full.test:5060', ['UDP 192.0.2.99 5060']],
  ['sip:full.test;transport=udp', ['UDP 192.0.2.1 5070']],
  ['sips:full.test', ['TLS 192.0.2.1 5071']],
  ['sip:srv.test', ['TCP 192.0.2.11 5061', 'TCP 192.0.2.12 5061', 'TCP 192.0.2.13 5062']],
  ['sip:nothing.test', []],
])('%s', async (uri, targets) => {
  expect(await found(uri)).toEqual(targets);
});

test('SRV is asked before A (trap 24), a port or address needs no SRV', async () => {
  queries.length = 0;
  await found('sip:plain.test');
  expect(queries.indexOf('A plain.test')).toBe(queries.length - 1);
  expect(queries).toContain('SRV _sip._udp.plain.test');
  queries.length = 0;
  await found('sip:plain.test:5080');
  expect(queries).toEqual(['A plain.test']);
});

test('both families, transports that this element has, and none that it lacks', async () => {
  expect(await found('sip:srv.test', { families: [6, 4] })).toContain('TCP 2001:db8::11 5061');
  expect(await found('sip:full.test', { transports: ['UDP'] })).toEqual(['UDP 192.0.2.1 5070']);
  expect(await found('sip:plain.test;transport=tls', { transports: ['UDP'] })).toEqual([]);
});

test('the name before DNS stays with the target (trap 18)', async () => {
  const [target] = await locate(parseSipUriOnly('sip:full.test'), options);
  expect(target?.serverName).toBe('full.test');
  expect((await locate(parseSipUriOnly('sips:192.0.2.5'), options))[0]?.serverName).toBeUndefined();
});

test('weights are kept in proportion, and weight 0 has a small chance', () => {
  const random = new SeededRandom(3);
  const records = [0, 10, 30, 60].map((weight) => ({ priority: 1, weight, port: 1, name: String(weight) }));
  const first = new Map<string, number>();
  for (let count = 0; count < 10_000; count++) {
    const [record] = orderSrv(records, () => random.next());
    first.set(record?.name ?? '', (first.get(record?.name ?? '') ?? 0) + 1);
  }
  expect(first.get('60')).toBeGreaterThan(5_500);
  expect(first.get('30')).toBeGreaterThan(2_600);
  expect(first.get('10')).toBeGreaterThan(800);
  expect(first.get('0')).toBeLessThan(300);
  expect(first.get('0')).toBeGreaterThan(20);
});

test('a target that failed is tried last for half a minute (trap 24)', () => {
  const timers = new SimulatedTimers();
  const health = new TargetHealth(timers);
  const [one, other]: [Target, Target] = [
    { transport: 'UDP', address: '192.0.2.1', port: 1 },
    { transport: 'UDP', address: '192.0.2.2', port: 1 },
  ];
  health.failed(one);
  expect(health.order([one, other])).toEqual([other, one]);
  timers.advance(30_000);
  expect(health.order([one, other])).toEqual([one, other]);
  health.failed(one);
  health.answered(one);
  expect(health.order([one, other])).toEqual([one, other]);
});

test('within a dialog the open connection is used for the same address (trap 19), and a name falls back to the peer', () => {
  const peer: Target = {
    transport: 'TLS',
    address: '192.0.2.1',
    port: 40_000,
    connection: 9,
    serverName: 'sip.test',
    certificate: 'c',
  };
  expect(nextHopTarget('sip:a@192.0.2.1:5061;transport=tls', peer)).toEqual({ ...peer, port: 5061 });
  expect(nextHopTarget('sip:a@192.0.2.1', peer)).toMatchObject({ transport: 'TLS', connection: 9 });
  expect(nextHopTarget('sip:a@192.0.2.7', peer)).toEqual({ transport: 'UDP', address: '192.0.2.7', port: 5060 });
  expect(nextHopTarget('sip:edge.test;lr', peer)).toBe(peer);
  expect(nextHopTarget('sip:edge.test;lr', peer, () => '192.0.2.8')).toMatchObject({
    address: '192.0.2.8',
    serverName: 'edge.test',
  });
});
