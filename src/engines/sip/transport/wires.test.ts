/** Real sockets on loopback: UDP, TCP and TLS over IPv4 and IPv6. */
import { once } from 'node:events';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { invite, ringing } from '../message/samples.fixture.ts';
import { authority, clientCertificate, clientKey, serverCertificate, serverKey } from './certificates.fixture.ts';
import { openStreamWire, type StreamOptions } from './stream-wire.ts';
import { openUdpWire } from './udp-wire.ts';
import type { Flow, Target, Wire } from './wire.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Station {
  wire: Wire;
  inbox: { bytes: Buffer; flow: Flow }[];
}

async function station(open: (received: (bytes: Buffer, flow: Flow) => void) => Promise<Wire>): Promise<Station> {
  const inbox: Station['inbox'] = [];
  const wire = await open((bytes, flow) => inbox.push({ bytes, flow }));
  closing.push(() => wire.close());
  return { wire, inbox };
}

const stream = (options: Partial<StreamOptions> = {}) =>
  station((received) => openStreamWire({ host: '127.0.0.1', port: 0, ...options }, received));

const send = (wire: Wire, bytes: Buffer, target: Target) =>
  new Promise<Error | null>((resolve) => wire.send(bytes, target, resolve));

const tls = { server: { cert: serverCertificate, key: serverKey, ca: authority }, ca: authority };

test.each([
  ['UDP', '127.0.0.1'],
  ['UDP', '::1'],
  ['TCP', '127.0.0.1'],
  ['TCP', '::1'],
] as const)('%s over %s: there and back on the same flow', async (transport, host) => {
  const open = () =>
    transport === 'UDP' ? station((received) => openUdpWire({ host, port: 0 }, received)) : stream({ host });
  const [one, other] = [await open(), await open()];
  expect(await send(one.wire, invite, { transport, address: host, port: other.wire.port })).toBeNull();
  await expect.poll(() => other.inbox.length).toBe(1);
  const { bytes, flow } = other.inbox[0] ?? expect.unreachable();
  expect(bytes).toEqual(invite);
  expect(flow).toMatchObject({ transport, address: host });
  await send(other.wire, ringing, flow);
  await expect.poll(() => one.inbox[0]?.bytes).toEqual(ringing);
});

test('a response uses the accepted connection, and so do later requests (trap 19)', async () => {
  const [one, other] = [await stream(), await stream()];
  const target: Target = { transport: 'TCP', address: '127.0.0.1', port: other.wire.port };
  for (let count = 0; count < 3; count++) await send(one.wire, invite, target);
  await expect.poll(() => other.inbox.length).toBe(3);
  expect(new Set(other.inbox.map(({ flow }) => flow.port)).size).toBe(1);
  const { flow } = other.inbox[0] ?? expect.unreachable();
  // The Contact's port has no listener: only the open connection can carry it.
  await send(other.wire, ringing, { ...flow, port: 1 });
  await expect.poll(() => one.inbox.length).toBe(1);
});

test('keep-alives are answered, also between messages', async () => {
  const { wire, inbox } = await stream();
  const socket = connectTcp(wire.port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  socket.write('\r\n\r\n');
  socket.write(invite);
  await expect.poll(() => Buffer.concat(received).toString()).toBe('\r\n');
  await expect.poll(() => inbox.length).toBe(1);
  socket.destroy();
});

test('connections that this end opened are kept alive, and closed when the peer falls silent', async () => {
  const arrived: string[] = [];
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk: Buffer) => arrived.push(chunk.toString()));
  });
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { wire } = await stream({ limits: { pingMs: 20, pongMs: 20 } });
  await send(wire, ringing, { transport: 'TCP', address: '127.0.0.1', port });
  await expect.poll(() => arrived.join('')).toContain('\r\n\r\n\r\n\r\n');
  await expect.poll(() => sockets[0]?.readableEnded).toBe(true);
  silent.close();
});

test.each([
  ['a message without a length', invite.toString().replace(/Content-Length.*\r\n/, ''), {}],
  ['a message that is never completed', 'INVITE sip:', { messageMs: 30 }],
  ['nothing at all', '', { idleMs: 30 }],
])('%s closes the connection', async (_name, text, limits) => {
  const { wire } = await stream({ limits });
  const socket = connectTcp(wire.port, '127.0.0.1');
  if (text !== '') socket.write(text);
  socket.resume();
  await once(socket, 'close');
});

test('one address cannot take all connections', async () => {
  const { wire } = await stream({ mostPerAddress: 1 });
  const first = connectTcp(wire.port, '127.0.0.1');
  await once(first, 'connect');
  const second = connectTcp(wire.port, '127.0.0.1').resume();
  await once(second, 'close');
  expect(first.destroyed).toBe(false);
  first.destroy();
});

test('an unreachable peer is reported, and many failures leave no listeners behind', async () => {
  const { wire } = await stream();
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, () => send(wire, invite, { transport: 'TCP', address: '127.0.0.1', port: 1 })),
  );
  expect(outcomes.every((error) => error instanceof Error)).toBe(true);
});

test('a port that is taken is an error, not a silent wire', async () => {
  const { wire } = await stream();
  await expect(stream({ port: wire.port })).rejects.toThrow('EADDRINUSE');
  const datagrams = await station((received) => openUdpWire({ host: '127.0.0.1', port: 0 }, received));
  await expect(openUdpWire({ host: '127.0.0.1', port: datagrams.wire.port }, () => undefined)).rejects.toThrow();
});

test('TLS: the name before DNS is verified and sent as SNI (trap 18)', async () => {
  const [one, other] = [await stream({ tls }), await stream({ tls })];
  const target: Target = { transport: 'TLS', address: '127.0.0.1', port: other.wire.port, serverName: 'sip.test' };
  expect(await send(one.wire, invite, target)).toBeNull();
  await expect.poll(() => other.inbox[0]?.flow.transport).toBe('TLS');
  await send(other.wire, ringing, other.inbox[0]?.flow ?? expect.unreachable());
  await expect.poll(() => one.inbox.length).toBe(1);
  expect(await send(one.wire, invite, { ...target, serverName: 'other.test' })).toBeInstanceOf(Error);
  const { serverName: _named, ...unnamed } = target;
  expect(await send(one.wire, invite, unnamed)).toBeInstanceOf(Error);
});

test('TLS: a peer of an unknown authority is refused', async () => {
  const other = await stream({ tls });
  const one = await stream({ tls: { server: tls.server } });
  const target: Target = { transport: 'TLS', address: '127.0.0.1', port: other.wire.port, serverName: 'sip.test' };
  expect(await send(one.wire, invite, target)).toBeInstanceOf(Error);
  expect(other.inbox).toEqual([]);
});

test('TLS: a target may name a client certificate; connections are not shared between certificates', async () => {
  const certificates = new Map([['carrier', { cert: clientCertificate, key: clientKey }]]);
  const demanding = { server: { ...tls.server, requestCert: true, rejectUnauthorized: true }, ca: authority };
  const [one, other] = [await stream({ tls: { ...tls, certificates } }), await stream({ tls: demanding })];
  const target: Target = { transport: 'TLS', address: '127.0.0.1', port: other.wire.port, serverName: 'sip.test' };
  expect(await send(one.wire, invite, { ...target, certificate: 'carrier' })).toBeNull();
  await expect.poll(() => other.inbox.length).toBe(1);
  await send(one.wire, invite, target);
  await expect.poll(() => other.inbox.length).toBe(1);
});

test('TLS: a broken handshake harms nobody else', async () => {
  const { wire, inbox } = await stream({ tls });
  const plain = connectTcp(wire.port, '127.0.0.1');
  plain.write('INVITE sip:a@b SIP/2.0\r\n\r\n');
  plain.resume();
  await once(plain, 'close');
  const good = connectTls({ port: wire.port, host: '127.0.0.1', ca: authority, servername: 'sip.test' });
  good.on('error', () => undefined);
  good.write(invite);
  await expect.poll(() => inbox.length).toBe(1);
  good.destroy();
});
