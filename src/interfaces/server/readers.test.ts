/** Clients that do not read, over real connections: what each of them loses, and who loses nothing. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ReaderLimits, Readers } from './readers.ts';
import { type Turn, Turns } from './turns.ts';

const megabyte = 1_000_000;
const hour = 3_600_000;
/** Longer than what the machine keeps for a connection that nobody reads. */
const long = 32 * megabyte;
const patient: Partial<ReaderLimits> = { lookEveryMs: 20, stillMs: 100, patienceMs: hour, owed: 1e12, owedToOne: 1e12 };

/** Answers `/account/bytes` with so many bytes. */
async function serve(limits: Partial<ReaderLimits>) {
  const seen = { cut: 0 };
  const readers = new Readers(() => {
    seen.cut += 1;
  }, limits);
  const turns = new Turns({ together: 1_000 });
  const server = createServer((request, response) => {
    const [, account = '', bytes = ''] = request.url?.split('/') ?? [];
    turns.enter(account, (turn: Turn) => {
      turn.belongsTo(account);
      response.once('close', () => turn.end());
      readers.watch(response, turn);
      response.end(Buffer.alloc(Number(bytes)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { seen, get: (path: string) => get(port, path) };
}

/** A client that reads nothing until it is told to. */
async function get(port: number, path: string) {
  const socket = connect(port, '127.0.0.1').pause();
  const client = { socket, read: 0, isGone: false };
  socket.on('data', (chunk: Buffer) => {
    client.read += chunk.length;
  });
  socket
    .on('error', () => undefined)
    .once('close', () => {
      client.isGone = true;
    });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET /${path} HTTP/1.1\r\nhost: test\r\n\r\n`);
  return client;
}

/** What the machine has kept arrives first, then the end of a connection that was cut. */
const isCut = async ({ socket, ...client }: { socket: Socket; isGone: boolean }) => {
  if (client.isGone) return true;
  socket.resume();
  await once(socket, 'close');
  return true;
};

test('an answer that nobody reads is cut when its time is over, and the client sees that it is not whole', async () => {
  const { seen, get } = await serve({ ...patient, patienceMs: 200, bytesPerSecond: 1_000 * megabyte });
  const client = await get(`one/${long}`);
  await expect.poll(() => seen.cut).toBe(1);
  expect(await isCut(client)).toBe(true);
  expect(client.read).toBeLessThan(long);
});

test('one who reads, however slowly, gets everything', async () => {
  const { seen, get } = await serve({ ...patient, patienceMs: 1_000, bytesPerSecond: 1_000 * megabyte });
  const slow = await get(`one/${long}`);
  for (let round = 1; round <= 2; round += 1) {
    const before = slow.read;
    slow.socket.resume();
    // A quick machine may have sent everything in the first round.
    await expect.poll(() => slow.read).toBeGreaterThanOrEqual(Math.min(before + 8 * megabyte, long));
    slow.socket.pause();
  }
  slow.socket.resume();
  await expect.poll(() => slow.read, { timeout: 30_000 }).toBeGreaterThanOrEqual(long);
  expect(seen.cut).toBe(0);
});

test('an account that is owed too much loses what stood still the longest; others lose nothing', async () => {
  const { seen, get } = await serve({ ...patient, owedToOne: 3 * long });
  const other = await get(`other/${long}`);
  const first = await get(`one/${long}`);
  // Each owes a little less than it is long: the machine has taken some of it.
  await Promise.all([1, 2, 3, 4].map(() => get(`one/${long}`)));
  await expect.poll(() => seen.cut, { timeout: 30_000 }).toBeGreaterThan(0);
  expect(await isCut(first)).toBe(true);
  other.socket.resume();
  await expect.poll(() => other.read, { timeout: 30_000 }).toBeGreaterThanOrEqual(long);
});

test('when all together are owed too much, the one that is owed the most pays', async () => {
  const { seen, get } = await serve({ ...patient, owed: 3 * long });
  const modest = await get(`modest/${long}`);
  await Promise.all([1, 2, 3, 4].map(() => get(`greedy/${long}`)));
  await expect.poll(() => seen.cut, { timeout: 30_000 }).toBeGreaterThan(0);
  modest.socket.resume();
  await expect.poll(() => modest.read, { timeout: 30_000 }).toBeGreaterThanOrEqual(long);
});
