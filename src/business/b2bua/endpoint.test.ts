/** The endpoint on real sockets of loopback: ports, OPTIONS, draining, taps. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { addressPolicy } from '../../engines/outbound/address-policy.ts';
import { SimulatedTimers } from '../../engines/sip/simulation/simulated-timers.fixture.ts';
import { dialPolicy } from './dial-policy.ts';
import { SipEndpoint } from './endpoint.ts';
import type { TappedMessage } from './tap.ts';
import { openWires, PortTaken } from './wires.ts';

const everywhere = addressPolicy({ allowEverything: true, allowedRanges: [] });
const config = {
  hosts: ['127.0.0.1', '::1'],
  advertised: [],
  certificateFile: null,
  keyFile: null,
  authoritiesFile: null,
  callsPerSecond: 10,
  edges: [],
};
const anyPort = { port: 0, isChosen: true, tlsPort: null };

let world: TestEnvironment;
beforeAll(async () => {
  world = await createTestEnvironment();
});
afterAll(() => world.close());

const newEndpoint = (edges: string[] = []) =>
  new SipEndpoint(world.env, { policy: dialPolicy('sandbox', everywhere), callsPerSecond: 10, edges });

/** Sends one request by UDP and returns the response. */
async function ask(port: number, method: string, host = '127.0.0.1'): Promise<string> {
  const socket = createSocket(host === '::1' ? 'udp6' : 'udp4');
  const lines = [
    `${method} sip:x@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK${method}${host.length};rport`,
    'From: <sip:a@a>;tag=1',
    'To: <sip:b@b>',
    'Call-ID: ask-1',
    `CSeq: 1 ${method}`,
    'Contact: <sip:a@127.0.0.1>',
    'Max-Forwards: 70',
    'Content-Length: 0',
  ];
  socket.send(`${lines.join('\r\n')}\r\n\r\n`, port, host);
  const [bytes] = await once(socket, 'message');
  socket.close();
  return String(bytes);
}

describe('an endpoint', () => {
  test('has one port number for UDP and TCP on IPv4 and IPv6, answers OPTIONS, and shows each message to its taps', async () => {
    const endpoint = newEndpoint();
    await endpoint.listen(config, anyPort);
    const seen: TappedMessage[] = [];
    endpoint.taps.add({ message: (message) => seen.push(message) });
    const { udp, tcp, tls } = endpoint.ports;
    expect([udp > 0, tcp === udp, tls]).toEqual([true, true, null]);
    for (const host of ['127.0.0.1', '::1']) {
      const response = await ask(udp, 'OPTIONS', host);
      expect(response).toMatch(/^SIP\/2\.0 200 /);
      expect(response).toMatch(/\r\nAllow: INVITE/);
    }
    expect(seen.slice(0, 2).map(({ direction, callId, remote }) => [direction, callId, remote.address])).toEqual([
      ['in', 'ask-1', '127.0.0.1'],
      ['out', 'ask-1', '127.0.0.1'],
    ]);
    await endpoint.stop();
  });

  test('says 100 to an edge before anything is done for the call, so that the edge gives it to nobody else', async () => {
    const endpoint = newEndpoint(['127.0.0.1']);
    await endpoint.listen(config, anyPort);
    const happened: string[] = [];
    endpoint.taps.add({
      message: ({ direction, bytes }) => direction === 'out' && happened.push(String(bytes).slice(0, 11)),
    });
    endpoint.takeCalls({ call: () => happened.push('taken'), request: () => undefined });
    expect(await ask(endpoint.ports.udp, 'INVITE')).toMatch(/^SIP\/2\.0 100 /);
    expect(happened).toEqual(['SIP/2.0 100', 'taken']);
    await endpoint.stop();
  });

  test('at the beginning of a flood lets in a fifth of a second more than its rate', () => {
    const timers = new SimulatedTimers();
    const policy = dialPolicy('sandbox', everywhere);
    const { admission } = new SipEndpoint(world.env, { policy, callsPerSecond: 100, timers });
    let admitted = 0;
    for (let call = 0; call < 200; call++) {
      if (admission.admit() === null) admitted++;
      timers.advance(5);
    }
    // 20 at once, and 99 for the 995 ms until the last call.
    expect(admitted).toBe(119);
  });

  test('that only places calls, or drains, refuses new calls with 503', async () => {
    const endpoint = newEndpoint();
    await endpoint.listen(config, anyPort);
    expect(await ask(endpoint.ports.udp, 'INVITE')).toMatch(/^SIP\/2\.0 503 .*\r\nRetry-After: 5\r\n/s);
    await endpoint.stop();
  });
});

test('a taken port is named, and nothing stays open', async () => {
  const first = await openWires(config, anyPort, () => undefined);
  const port = first[0]?.port ?? 0;
  await expect(openWires(config, { ...anyPort, port }, () => undefined)).rejects.toThrow(
    `SIP port ${port} on 127.0.0.1 is taken by another program`,
  );
  await expect(openWires(config, { ...anyPort, port }, () => undefined)).rejects.toThrow(PortTaken);
  await Promise.all(first.map((wire) => wire.close()));
  const again = await openWires(config, { ...anyPort, port }, () => undefined);
  await Promise.all(again.map((wire) => wire.close()));
});
