/** The guarded HTTP client: addresses, redirects, limits, times. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { addressPolicy } from './address-policy.ts';
import { type OutboundHttp, outboundHttp } from './outbound-http.ts';
import type { OutboundErrorKind } from './outbound-request.ts';

const open = addressPolicy({ allowEverything: true, allowedRanges: [] });
const closed = addressPolicy({ allowEverything: false, allowedRanges: [] });

let server: Server | undefined;
let client: OutboundHttp | undefined;
let closeRaw: () => void = () => undefined;

afterEach(async () => {
  await client?.close();
  server?.closeAllConnections();
  server?.close();
  closeRaw();
  client = undefined;
  server = undefined;
});

async function receiver(listener: RequestListener): Promise<number> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo;
  return port;
}

async function rawReceiver(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const started = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    talk(socket);
  });
  closeRaw = () => {
    for (const socket of sockets) socket.destroy();
    started.close();
  };
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo;
  return port;
}

const failsAs = (kind: OutboundErrorKind) => expect.objectContaining({ name: 'OutboundError', kind });

test('a POST arrives with its headers, body and the credentials of the URL, and the response comes back', async () => {
  const seen: string[] = [];
  const port = await receiver((request, response) => {
    request.on('data', (chunk) => seen.push(String(chunk)));
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${request.headers['x-a']} ${request.headers.authorization}`);
      response.writeHead(201).end('stored');
    });
  });
  client = outboundHttp(open);
  const url = `http://me:p%40ss@127.0.0.1:${port}/hook?a=1`;
  const answer = await client.request({ url, method: 'POST', headers: { 'x-a': 'b' }, body: 'id=7' });
  expect(answer.status).toBe(201);
  expect(answer.body.toString()).toBe('stored');
  expect(seen).toEqual(['id=7', `POST /hook?a=1 b Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
});

test('a redirect is a response, not an instruction', async () => {
  let requests = 0;
  const port = await receiver((_request, response) => {
    requests += 1;
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  });
  client = outboundHttp(open);
  expect((await client.request({ url: `http://127.0.0.1:${port}/`, method: 'GET' })).status).toBe(302);
  expect(requests).toBe(1);
});

test.each([
  'http://127.0.0.1:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://2130706433:PORT/',
  'http://localhost:PORT/',
])('a loopback address is refused before anything is sent: %s', async (form) => {
  let requests = 0;
  const port = await receiver((_request, response) => {
    requests += 1;
    response.end();
  });
  client = outboundHttp(closed);
  const sent = client.request({ url: form.replace('PORT', String(port)), method: 'GET' });
  await expect(sent).rejects.toEqual(failsAs('address_refused'));
  expect(requests).toBe(0);
});

test('a name that points inside is refused', async () => {
  client = outboundHttp(closed, { resolve: async () => ['127.0.0.1'] });
  const inside = client.request({ url: 'http://rebind.example.test/', method: 'GET' });
  await expect(inside).rejects.toEqual(failsAs('address_refused'));
});

test('the connection goes to the address that was checked, whatever a second look-up would say', async () => {
  const port = await receiver((request, response) => response.end(request.headers.host));
  const answers = [['127.0.0.1'], ['192.0.2.1']];
  client = outboundHttp(open, { resolve: async () => answers.shift() ?? [] });
  const answer = await client.request({ url: `http://named.example.test:${port}/`, method: 'GET' });
  expect(answer.body.toString()).toBe(`named.example.test:${port}`);
  expect(answers).toHaveLength(1);
});

test('an endless answer is cut or refused at the limit', async () => {
  const port = await receiver((_request, response) => {
    const more = (): void => {
      while (response.write('x'.repeat(1000)));
      response.once('drain', more);
    };
    more();
  });
  client = outboundHttp(open);
  const url = `http://127.0.0.1:${port}/`;
  const cut = await client.request({ url, method: 'GET', maxResponseBytes: 1024, oversize: 'cut' });
  expect(cut.body).toHaveLength(1024);
  await expect(client.request({ url, method: 'GET', maxResponseBytes: 1024 })).rejects.toEqual(
    failsAs('response_too_large'),
  );
});

test('a receiver that never answers times out', async () => {
  const port = await receiver(() => {});
  client = outboundHttp(open);
  const sent = client.request({ url: `http://127.0.0.1:${port}/`, method: 'GET', timeoutMs: 50 });
  await expect(sent).rejects.toEqual(failsAs('timeout'));
});

test('a receiver that stops in the middle of its response times out', async () => {
  const port = await receiver((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
  });
  client = outboundHttp(open);
  const sent = client.request({ url: `http://127.0.0.1:${port}/`, method: 'GET', timeoutMs: 100 });
  await expect(sent).rejects.toEqual(failsAs('timeout'));
});

test('a closed port, an unknown name and a URL of another kind each have their own error', async () => {
  const port = await receiver(() => {});
  server?.close();
  client = outboundHttp(open, { resolve: async () => Promise.reject(new Error('no such name')) });
  await expect(client.request({ url: `http://127.0.0.1:${port}/`, method: 'GET' })).rejects.toEqual(failsAs('connect'));
  await expect(client.request({ url: 'http://nowhere.example.test/', method: 'GET' })).rejects.toEqual(failsAs('dns'));
  await expect(client.request({ url: 'ftp://example.test/', method: 'GET' })).rejects.toEqual(failsAs('invalid_url'));
});

test.each([
  ['nothing listens', async () => 1],
  ['the other side speaks no TLS', () => receiver((_request, response) => response.end())],
  ['the other side hangs up', () => rawReceiver((socket) => socket.once('data', () => socket.destroy()))],
])('nothing was sent where no secure connection came about: %s', async (_name, listen) => {
  client = outboundHttp(open);
  const sent = client.request({ url: `https://127.0.0.1:${await listen()}/`, method: 'POST', body: 'secret' });
  await expect(sent).rejects.toEqual(expect.objectContaining({ name: 'OutboundError', sent: false }));
});

test('nothing was sent where the time ran out before the connection stood', async () => {
  const port = await rawReceiver(() => {});
  client = outboundHttp(open);
  const sent = client.request({ url: `https://127.0.0.1:${port}/`, method: 'POST', timeoutMs: 50 });
  await expect(sent).rejects.toEqual(expect.objectContaining({ kind: 'timeout', sent: false }));
  const connecting = outboundHttp(open, { connectTimeoutMs: 50 });
  const unconnected = connecting.request({ url: `https://127.0.0.1:${port}/`, method: 'POST' });
  await expect(unconnected).rejects.toEqual(expect.objectContaining({ kind: 'timeout', sent: false }));
  await connecting.close();
});

test('a request that ended without a response may have been acted on', async () => {
  const port = await rawReceiver((socket) => socket.once('data', () => socket.destroy()));
  client = outboundHttp(open);
  const sent = client.request({ url: `http://127.0.0.1:${port}/`, method: 'POST' });
  await expect(sent).rejects.toEqual(expect.objectContaining({ kind: 'connect', sent: true }));
});

test('interim responses nobody asked for are skipped', async () => {
  const port = await rawReceiver((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    }),
  );
  client = outboundHttp(open);
  const { status, body } = await client.request({ url: `http://127.0.0.1:${port}/`, method: 'POST', body: 'x' });
  expect([status, body.toString()]).toEqual([200, 'ok']);
});

test('a kept connection is used again, a fresh one is not', async () => {
  const ports: (number | undefined)[] = [];
  const port = await receiver((request, response) => {
    ports.push(request.socket.remotePort);
    response.end();
  });
  client = outboundHttp(open);
  const url = `http://127.0.0.1:${port}/`;
  await client.request({ url, method: 'GET' });
  await client.request({ url, method: 'GET' });
  await client.request({ url, method: 'GET', freshConnection: true });
  expect(ports[1]).toBe(ports[0]);
  expect(ports[2]).not.toBe(ports[0]);
});

test('a request whose kept connection turns out to be closed is sent once more', async () => {
  let requests = 0;
  const port = await receiver((request, response) => {
    requests += 1;
    if (requests === 2) request.socket.destroy();
    else response.end();
  });
  client = outboundHttp(open);
  const url = `http://127.0.0.1:${port}/`;
  await client.request({ url, method: 'GET' });
  expect((await client.request({ url, method: 'GET' })).status).toBe(200);
  expect(requests).toBe(3);
});

test('a request can be given up, one by one or all with the client', async () => {
  let requests = 0;
  const port = await receiver(() => {
    requests += 1;
  });
  client = outboundHttp(open);
  const url = `http://127.0.0.1:${port}/`;
  const giveUp = new AbortController();
  const one = client.request({ url, method: 'GET', signal: giveUp.signal });
  const other = client.request({ url, method: 'GET' });
  const ends = Promise.allSettled([one, other]);
  await expect.poll(() => requests).toBe(2);
  giveUp.abort();
  await expect(one).rejects.toEqual(failsAs('aborted'));
  await client.close();
  await expect(other).rejects.toEqual(failsAs('aborted'));
  await ends;
  await expect(client.request({ url, method: 'GET' })).rejects.toEqual(failsAs('aborted'));
});
