/** Whole calls between two user agents over real sockets and real time, one for each transport and address family. */
import { afterEach, expect, test } from 'vitest';
import type { IncomingCall } from './dialog/incoming-call.ts';
import type { Session, SessionUser } from './dialog/session.ts';
import { machineIds } from './ids.ts';
import { machineTimers } from './timers.ts';
import { authority, serverCertificate, serverKey } from './transport/certificates.fixture.ts';
import { openStreamWire } from './transport/stream-wire.ts';
import { openUdpWire } from './transport/udp-wire.ts';
import type { Target, TransportName } from './transport/wire.ts';
import { UserAgent } from './user-agent.ts';

const open: UserAgent[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((agent) => agent.close()));
});

async function station(transport: TransportName, host: string, call: (call: IncomingCall) => void) {
  const agent = new UserAgent(
    { timers: machineTimers, ids: machineIds, random: Math.random },
    { call, request: (transaction) => transaction.reply(405) },
  );
  open.push(agent);
  const tls = { server: { cert: serverCertificate, key: serverKey }, ca: authority };
  const { received } = agent.transport;
  const wire =
    transport === 'UDP'
      ? await openUdpWire({ host, port: 0 }, received)
      : await openStreamWire({ host, port: 0, ...(transport === 'TLS' ? { tls } : {}) }, received);
  agent.transport.attach(wire, { host });
  return { agent, port: wire.port };
}

test.each([
  ['UDP', '127.0.0.1'],
  ['TCP', '127.0.0.1'],
  ['TLS', '127.0.0.1'],
  ['UDP', '::1'],
  ['TCP', '::1'],
] as const)('a call over %s, %s: rung, answered, changed, hung up by the called side', async (transport, host) => {
  const events: string[] = [];
  const user = (name: string): SessionUser => ({
    request: (session, transaction) => session.answer(transaction, 200),
    acknowledged: () => void events.push(`${name} acknowledged`),
    ended: (_session, cause) => void events.push(`${name} ended ${cause}`),
  });
  let called: Session | null = null;
  const bob = await station(transport, host, (call) => {
    call.progress(180, {}, true);
    setImmediate(() => {
      called = call.accept({}, user('bob'));
    });
  });
  const alice = await station(transport, host, (call) => call.reject(480));
  const target: Target = {
    transport,
    address: host,
    port: bob.port,
    ...(transport === 'TLS' ? { serverName: 'sip.test' } : {}),
  };
  alice.agent.place(
    { uri: 'sip:bob@sip.test', from: '<sip:alice@sip.test>', to: '<sip:bob@sip.test>', targets: [target] },
    {
      progress: (_call, response) => void events.push(`alice ${response.status}`),
      answered: (_call, session, response) => {
        session.acknowledge(response);
        events.push('alice answered');
      },
      failed: (_call, status) => void events.push(`alice failed ${status}`),
    },
    user('alice'),
  );
  await expect.poll(() => events).toContain('bob acknowledged');
  const statuses: (number | undefined)[] = [];
  const session = called as Session | null;
  session?.send('INFO', {}, (response) => statuses.push(response?.status));
  await expect.poll(() => statuses).toEqual([200]);
  session?.hangUp();
  await expect.poll(() => events).toContain('alice ended remote');
  await expect.poll(() => [alice.agent.dialogs, bob.agent.dialogs]).toEqual([0, 0]);
  expect(events.filter((event) => event.includes('ended'))).toHaveLength(2);
});
