/** Where a request comes from, with and without an edge in front. */
import { expect, test } from 'vitest';
import { SipRequest } from '../../engines/sip/message/message.ts';
import { Sources } from './sources.ts';

const sources = new Sources(['10.0.0.10', '2001:db8:1::/48']);

function sourceOf(address: string, header?: string): string {
  const request = new SipRequest('INVITE', 'sip:1@h');
  if (header !== undefined) request.headers.add('X-Trunkline-Source', header);
  const {
    transport,
    address: found,
    port,
  } = sources.of({ request, flow: { transport: 'UDP', address, port: 5060, connection: 0 } });
  return `${transport} ${found} ${port}`;
}

test.each([
  ['10.0.0.10', 'tls 203.0.113.7 33333', 'TLS 203.0.113.7 33333'],
  ['2001:db8:1::5', 'udp 2001:db8:2::1 5060', 'UDP 2001:db8:2::1 5060'],
  ['10.0.0.10', 'udp example.com 5060', 'UDP 10.0.0.10 5060'],
  ['10.0.0.10', 'nonsense', 'UDP 10.0.0.10 5060'],
  ['10.0.0.10', undefined, 'UDP 10.0.0.10 5060'],
  ['198.51.100.1', 'udp 203.0.113.7 5060', 'UDP 198.51.100.1 5060'],
])('from %s with %s', (address, header, source) => {
  expect(sourceOf(address, header)).toBe(source);
});

test('without edges nobody may name a source', () => {
  const request = new SipRequest('INVITE', 'sip:1@h');
  request.headers.add('X-Trunkline-Source', 'udp 203.0.113.7 5060');
  const flow = { transport: 'UDP', address: '127.0.0.1', port: 5060, connection: 0 } as const;
  expect(new Sources([]).of({ request, flow }).address).toBe('127.0.0.1');
});
