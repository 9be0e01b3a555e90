/** A server that is silent, and a process that was too busy to hear it. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { unlessSilent } from './silence.ts';

test('work that does not end in time fails, and whoever asked is told', async () => {
  const told: string[] = [];
  const { promise } = Promise.withResolvers<never>();
  await expect(unlessSilent(promise, 1, ({ message }) => told.push(message))).rejects.toThrow('silent for 0.001 s');
  expect(told).toHaveLength(1);
});

test('what had arrived in time counts, though this process was busy until it was late', async () => {
  const server = createServer((socket) => socket.end('here')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  await once(socket, 'connect');
  const heard = unlessSilent(once(socket, 'data'), 20);
  // Nothing is read until the time is up.
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect(String(await heard)).toBe('here');
  socket.destroy();
  server.close();
});

test('what goes wrong by itself is told as it is', async () => {
  await expect(unlessSilent(Promise.reject(new Error('refused')), 1_000)).rejects.toThrow('refused');
});
