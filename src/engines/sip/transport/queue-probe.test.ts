/** How long datagrams wait in the kernel. */
import { expect, test } from 'vitest';
import { invite } from '../message/samples.fixture.ts';
import { QueueProbe } from './queue-probe.ts';
import { openUdpWire } from './udp-wire.ts';

/** A socket whose datagrams are read when the test says so. */
function createSocket() {
  let now = 10_000;
  const queue: Buffer[] = [];
  const probe = new QueueProbe(
    (bytes) => queue.push(bytes),
    () => now,
  );
  return {
    probe,
    queue,
    pass: (ms: number) => {
      now += ms;
    },
    message: () => probe.read(invite),
    /** Reads the oldest probe. */
    readProbe: () => probe.read(queue.shift() ?? expect.unreachable('no probe was sent')),
  };
}

test('says how long the last probe waited, and how long one has been waiting', () => {
  const { probe, pass, message, readProbe } = createSocket();
  expect([message(), probe.waitMs]).toEqual([false, 0]);
  pass(3);
  expect([readProbe(), probe.waitMs]).toEqual([true, 3]);
  pass(100);
  message();
  pass(250);
  expect(probe.waitMs).toBe(250);
  expect([readProbe(), probe.waitMs]).toEqual([true, 250]);
  pass(100);
  message();
  pass(1);
  readProbe();
  expect(probe.waitMs).toBe(1);
});

test('sends at most ten a second, and none without traffic', () => {
  const { queue, pass, message, readProbe } = createSocket();
  let sent = 0;
  for (let ms = 0; ms < 1_000; ms++) {
    message();
    while (queue.length > 0) {
      sent += 1;
      readProbe();
    }
    pass(1);
  }
  expect(sent).toBe(10);
  pass(10_000);
  expect(queue).toEqual([]);
});

test('a probe that the kernel has dropped does not count when a later one comes back', () => {
  const { probe, queue, pass, message, readProbe } = createSocket();
  message();
  readProbe();
  pass(100);
  message();
  queue.shift();
  pass(100);
  message();
  pass(20);
  expect(probe.waitMs).toBe(120);
  readProbe();
  expect(probe.waitMs).toBe(20);
});

test('after a second without any message nothing waits', () => {
  const { probe, pass, message, readProbe } = createSocket();
  message();
  readProbe();
  pass(100);
  message();
  pass(1_001);
  message();
  expect(probe.waitMs).toBe(0);
});

test('where a socket cannot reach itself nothing is known, and no call is refused for it', () => {
  const { probe, pass, message, readProbe } = createSocket();
  for (let count = 0; count < 100; count++) {
    message();
    pass(200);
  }
  expect(probe.waitMs).toBe(0);
  // Also if it could before.
  readProbe();
  message();
  pass(0);
  for (let count = 0; count < 100; count++) {
    message();
    pass(200);
  }
  expect(probe.waitMs).toBe(0);
});

test('takes nothing from others for a probe of its own', () => {
  const { probe, queue, message } = createSocket();
  message();
  const own = queue[0] ?? expect.unreachable();
  const forged = Buffer.from(own);
  forged[5] = (forged[5] ?? 0) ^ 1;
  expect([probe.read(forged), probe.read(Buffer.alloc(own.length)), probe.read(Buffer.alloc(0))]).toEqual([
    false,
    false,
    false,
  ]);
});

test.each(['127.0.0.1', '::1', '0.0.0.0', '::'])(
  'a real socket on %s hears itself, and hands on only what others send',
  async (host) => {
    const inbox: Buffer[] = [];
    const wire = await openUdpWire({ host, port: 0 }, (bytes) => inbox.push(bytes));
    try {
      const address = host.includes(':') ? '::1' : '127.0.0.1';
      const target = { transport: 'UDP', address, port: wire.port } as const;
      const send = () => new Promise<Error | null>((resolve) => wire.send(invite, target, resolve));
      await send();
      // Zero until a probe has come back, however fast that was.
      await expect.poll(() => wire.waitMs).toBeGreaterThan(0);
      await send();
      await expect.poll(() => inbox.length).toBe(2);
      expect(inbox).toEqual([invite, invite]);
    } finally {
      await wire.close();
    }
  },
);
