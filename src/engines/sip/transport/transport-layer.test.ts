/** Where requests come from, and where responses go. */
import { expect, test } from 'vitest';
import type { SipMessage } from '../message/message.ts';
import { parseMessage } from '../message/parse.ts';
import { inviteWith, offer, ringing } from '../message/samples.fixture.ts';
import { SeededRandom } from '../simulation/seeded-random.fixture.ts';
import { SimulatedNetwork } from '../simulation/simulated-network.fixture.ts';
import { SimulatedTimers } from '../simulation/simulated-timers.fixture.ts';
import { responseTarget } from './response-target.ts';
import { ignoreSent, TransportLayer } from './transport-layer.ts';
import type { Flow } from './wire.ts';

function world() {
  const timers = new SimulatedTimers();
  const network = new SimulatedNetwork(timers, new SeededRandom(1));
  const handled: SipMessage[] = [];
  const dropped: string[] = [];
  const warnings: string[] = [];
  const layer = new TransportLayer(
    { receiveRequest: (request) => handled.push(request), receiveResponse: (response) => handled.push(response) },
    timers,
    { observer: { dropped: (reason) => dropped.push(reason), warning: (text) => warnings.push(text) } },
  );
  layer.attach(network.listen('UDP', '192.0.2.10', 5060, layer.received), { host: 'sbc.example.com' });
  layer.attach(network.listen('TCP', '192.0.2.10', 5060, layer.received), { host: '198.51.100.7', port: 5080 });
  const answers: SipMessage[] = [];
  const peer = network.listen('UDP', '192.0.2.1', 6000, (bytes) => answers.push(parseMessage(bytes)));
  const deliver = (bytes: Buffer) => {
    peer.send(bytes, { transport: 'UDP', address: '192.0.2.10', port: 5060 }, ignoreSent);
    timers.advance(10);
  };
  return { timers, network, layer, handled, dropped, warnings, answers, deliver };
}

test('a request learns its source: received and rport are filled in (trap 2)', () => {
  const { handled, deliver } = world();
  deliver(inviteWith({ Via: 'Via: SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK1;rport, SIP/2.0/UDP x;branch=z9hG4bK0' }));
  expect(handled[0]?.headers.all('Via')).toEqual([
    'SIP/2.0/UDP 10.0.0.1:5060;branch=z9hG4bK1;rport=6000;received=192.0.2.1',
    'SIP/2.0/UDP x;branch=z9hG4bK0',
  ]);
});

test.each([
  ['SIP/2.0/UDP 198.51.100.1:5070;branch=z9hG4bK1', false, 5070],
  ['SIP/2.0/UDP 198.51.100.1;branch=z9hG4bK1', false, 5060],
  ['SIP/2.0/UDP 198.51.100.1:5070;branch=z9hG4bK1;rport', false, 6000],
  ['SIP/2.0/UDP 198.51.100.1:5070;branch=z9hG4bK1;maddr=203.0.113.1', false, 5070],
  ['SIP/2.0/UDP 198.51.100.1:5070;branch=z9hG4bK1', true, 6000],
])('a response to %s (always to source: %s) goes to the source address, port %i', (via, always, port) => {
  const flow: Flow = { transport: 'UDP', address: '192.0.2.1', port: 6000, connection: 0 };
  const { via: parsed } = parseMessage(inviteWith({ Via: `Via: ${via}` }));
  expect(responseTarget(parsed, flow, always)).toEqual({ transport: 'UDP', address: '192.0.2.1', port });
});

test('over a stream the response keeps the connection, and falls back to the port of Via', () => {
  const flow: Flow = { transport: 'TLS', address: '192.0.2.1', port: 40_000, connection: 7 };
  const { via } = parseMessage(inviteWith({ Via: 'Via: SIP/2.0/TLS a.example;branch=z9hG4bK1' }));
  expect(responseTarget(via, flow, false)).toEqual({
    transport: 'TLS',
    address: '192.0.2.1',
    port: 5061,
    connection: 7,
  });
});

test('advertised host and port stand for a wire, not the address it is bound to (trap 1)', () => {
  const { layer } = world();
  expect(layer.localFor('UDP', '203.0.113.9')).toEqual({ transport: 'UDP', host: 'sbc.example.com', port: 5060 });
  expect(layer.localFor('TCP', '203.0.113.9')).toEqual({ transport: 'TCP', host: '198.51.100.7', port: 5080 });
  expect(layer.localFor('UDP', '2001:db8::1')).toBeNull();
});

test('a damaged request is answered with its reason, never an ACK or a response', () => {
  const { answers, handled, dropped, deliver } = world();
  const badEscape = 'INVITE sip:us%zz@example.com SIP/2.0';
  deliver(inviteWith({ start: badEscape, Via: 'Via: SIP/2.0/UDP 192.0.2.1:6000;branch=z9hG4bK1;rport' }));
  deliver(inviteWith({ start: 'ACK sip:us%zz@example.com SIP/2.0', CSeq: 'CSeq: 1 ACK' }));
  deliver(inviteWith({ Via: null }));
  deliver(Buffer.from(ringing.toString().replace('CSeq', 'X-CSeq')));
  deliver(Buffer.from('\r\n\r\n'));
  expect(answers.map((answer) => !answer.isRequest && [answer.status, answer.reason])).toEqual([
    [400, 'Malformed escape in URI'],
  ]);
  expect(dropped).toHaveLength(3);
  expect(handled).toEqual([]);
});

test('a request with NUL in From, or a line that is no header, is answered, without sending the NUL back', () => {
  const { answers, handled, deliver } = world();
  const Via = 'Via: SIP/2.0/UDP 192.0.2.1:6000;branch=z9hG4bK1;rport';
  deliver(inviteWith({ Via, From: 'From: "a\0b" <sip:a@example.com>;tag=1' }));
  deliver(inviteWith({ Via }, ['this is no header']));
  expect(answers.map((answer) => !answer.isRequest && [answer.status, answer.reason])).toEqual([
    [400, 'Control character in header'],
    [400, 'Malformed header line'],
  ]);
  expect(answers[0]?.headers.first('From')).toBe('"a b" <sip:a@example.com>;tag=1');
  expect(handled).toEqual([]);
});

test('floods of damaged requests are not all answered', () => {
  const { answers, layer, timers } = world();
  const bad = inviteWith({ start: 'INVITE sip:%zz@x SIP/2.0', Via: 'Via: SIP/2.0/UDP 192.0.2.1:6000;branch=z9hG4bK1' });
  const flow: Flow = { transport: 'UDP', address: '192.0.2.1', port: 6000, connection: 0 };
  for (let count = 0; count < 1_000; count++) layer.received(bad, flow);
  timers.advance(10);
  expect(answers).toHaveLength(100);
});

test('long requests move from UDP to TCP, but not to a peer that took no TCP before (trap 20)', () => {
  const { layer, timers, warnings } = world();
  const target = { transport: 'UDP', address: '192.0.2.1', port: 6000 } as const;
  expect(layer.streamInstead(target, 1300)).toBeNull();
  expect(layer.streamInstead(target, 1301)).toEqual({ ...target, transport: 'TCP' });
  expect(layer.streamInstead({ ...target, address: '2001:db8::1' }, 1301)).toBeNull();
  layer.noteWithoutTcp(target);
  expect(warnings[0]).toContain('192.0.2.1:6000');
  expect(layer.streamInstead(target, 1301)).toBeNull();
  timers.advance(61_000);
  expect(layer.streamInstead(target, 1301)).not.toBeNull();
});

test('a datagram cut short is refused, one that is too long loses what follows', () => {
  const { handled, answers, deliver } = world();
  const request = inviteWith({ Via: 'Via: SIP/2.0/UDP 192.0.2.1:6000;branch=z9hG4bK2' });
  deliver(request.subarray(0, request.length - 10));
  expect(answers.map((answer) => !answer.isRequest && answer.status)).toEqual([400]);
  deliver(Buffer.concat([request, Buffer.from('extra')]));
  expect(handled.map((message) => message.body.toString())).toEqual([offer]);
});

test('the simulated network repeats itself for the same seed', () => {
  const run = () => {
    const timers = new SimulatedTimers();
    const network = new SimulatedNetwork(timers, new SeededRandom(7), { loss: 0.2, duplicates: 0.2, delayMs: [1, 50] });
    const arrived: number[] = [];
    network.listen('UDP', '192.0.2.2', 1, (bytes) => arrived.push(bytes.readUInt16BE(0)));
    const from = network.listen('UDP', '192.0.2.1', 1, () => undefined);
    for (let count = 0; count < 500; count++) {
      const bytes = Buffer.alloc(2);
      bytes.writeUInt16BE(count);
      from.send(bytes, { transport: 'UDP', address: '192.0.2.2', port: 1 }, ignoreSent);
    }
    timers.runUntilQuiet(1_000);
    return { arrived, counts: network.counts };
  };
  const first = run();
  expect(run()).toEqual(first);
  expect(first.counts.lost).toBeGreaterThan(50);
  expect(first.counts.duplicated).toBeGreaterThan(40);
  expect(first.arrived).not.toEqual([...first.arrived].sort((one, other) => one - other));
});
