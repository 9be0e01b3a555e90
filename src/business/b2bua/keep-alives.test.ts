/** Registered phones behind NAT get an empty line from time to time, others do not. */
import { expect, test } from 'vitest';
import { openSocket } from '../../../test/support/datagrams.ts';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { openPeer } from '../../../test/support/sip-peers.ts';
import { useOpened } from '../../../test/support/use.ts';
import type { Binding } from '../../engines/sip/registrar/bindings.ts';
import type { Flow } from '../../engines/sip/transport/wire.ts';
import { KeepAlives } from './keep-alives.ts';

const house = useOpened(() => createTestEnvironment());

test('a hidden phone is kept open until its registration has run out; a Path or a true Contact needs nothing', async () => {
  const endpoint = await openPeer(house.env);
  const [phone, open] = [await openSocket(), await openSocket()];
  const keepAlives = new KeepAlives(endpoint);
  const flow = (port: number): Flow => ({ transport: 'UDP', address: '127.0.0.1', port, connection: 0 });
  const binding = (port: number, uri: string, path: string[] = []): Binding => ({
    ...{ uri, path, callId: 'a', sequence: 1, priority: 1, source: flow(port) },
    expiresAt: house.env.clock.now().getTime() + 60_000,
  });
  try {
    keepAlives.registered(flow(phone.port), [binding(phone.port, 'sip:a@10.0.0.5:5060')]);
    keepAlives.registered(flow(open.port), [binding(open.port, `sip:b@127.0.0.1:${open.port}`)]);
    keepAlives.registered(flow(9), [binding(9, 'sip:c@10.0.0.5:5060', ['<sip:127.0.0.1;lr>'])]);
    expect(keepAlives.size).toBe(1);
    keepAlives.send();
    await expect.poll(() => phone.received.map(String)).toEqual(['\r\n\r\n']);
    expect(open.received).toEqual([]);
    house.clock.advance(61);
    keepAlives.send();
    expect(keepAlives.size).toBe(0);
  } finally {
    keepAlives.stop();
    phone.socket.close();
    open.socket.close();
    await endpoint.stop();
  }
});
