/** A server that closes waits for requests and for nothing else. */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { TidyServer } from './tidy-server.ts';

test('a server that closes does not wait for a connection that was opened ahead of need', async () => {
  const server = new TidyServer({ keepAliveTimeout: 600_000 }, (_, response) => response.end('done'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(server, 'connection');
  const cut = once(socket.resume(), 'close');
  await new Promise((resolve) => server.close(resolve));
  await cut;
});

test('a request in flight is not cut off', async () => {
  let finish: () => void = () => undefined;
  const server = new TidyServer({}, (_, response) => {
    finish = () => response.setHeader('connection', 'close').end('done');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await once(server, 'request');
  const closed = new Promise((resolve) => server.close(resolve));
  finish();
  expect(await (await response).text()).toBe('done');
  await closed;
});
