/**
 * The reverse proxy as docs/deploy.md configures it: nginx with its lines, in front of two servers of which one stops.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);

/** Stands for one Trunkline process: says its name and what the proxy told it. */
async function startUpstream(name: string) {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      const { host, 'x-forwarded-for': address, 'x-forwarded-proto': scheme } = incoming.headers;
      response.setHeader('Strict-Transport-Security', 'max-age=1');
      response.end(JSON.stringify({ name, host, address, scheme }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return { port: (server.address() as AddressInfo).port, stop };
}

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs the block of docs/deploy.md; only ports, files and the address of the listener are this test's own. */
async function startNginx(ports: readonly [number, number]): Promise<number> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, 'tmp'));
  const [certificate, key] = [path.join(folder, 'api.pem'), path.join(folder, 'api.key')];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=api.example.com', '-days', '2'];
  await run('openssl', [...words, '-keyout', key, '-out', certificate]);
  const guide = await readFile(path.join(import.meta.dirname, '../docs/deploy.md'), 'utf8');
  const block = /```nginx\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const listening = await freePort();
  const changes: [string, string][] = [
    ['127.0.0.1:8080', `127.0.0.1:${ports[0]}`],
    ['127.0.0.1:8090', `127.0.0.1:${ports[1]}`],
    ['listen 443 ssl', `listen 127.0.0.1:${listening} ssl`],
    ['/etc/ssl/api.pem', certificate],
    ['/etc/ssl/api.key', key],
    ['allow 10.0.0.0/8', 'allow 127.0.0.1'],
  ];
  const own = changes.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, block);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path tmp;`);
  const file = path.join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/errors; events {}\nhttp { access_log off; ${temporary.join(' ')}\n${own}}\n`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await expect.poll(() => ask(listening, 'GET').catch(() => null)).toMatchObject({ status: 200 });
  return listening;
}

async function ask(port: number, method: string, at = '/v3/balance') {
  const sent = request({
    port,
    method,
    host: '127.0.0.1',
    path: at,
    headers: { host: 'api.example.com' },
    rejectUnauthorized: false,
    agent: false,
  });
  sent.end(method === 'POST' ? '{}' : undefined);
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  return {
    status: response.statusCode,
    headers: response.headers,
    body: body.startsWith('{') ? JSON.parse(body) : null,
  };
}

test('a server that has stopped costs no request: the other one answers', async () => {
  const [first, second] = [await startUpstream('first'), await startUpstream('second')];
  const port = await startNginx([first.port, second.port]);
  const names = await Promise.all(Array.from({ length: 8 }, async () => (await ask(port, 'GET')).body.name));
  expect(new Set(names)).toEqual(new Set(['first', 'second']));
  expect((await ask(port, 'GET')).body).toMatchObject({
    host: 'api.example.com',
    address: '127.0.0.1',
    scheme: 'https',
  });

  // The operators' own location tells the server as much: the panel compares the host, limits go by address.
  expect((await ask(port, 'GET', '/operator/v1/accounts')).body).toMatchObject({
    ...{ host: 'api.example.com', address: '127.0.0.1', scheme: 'https' },
  });

  await first.stop();
  // A connection that was refused has sent nothing, so writes go to the other server as well.
  const answers = [];
  for (let n = 0; n < 12; n += 1) answers.push(await ask(port, n % 2 === 0 ? 'GET' : 'POST'));
  expect(answers.map(({ status, body }) => [status, body?.name])).toEqual(Array(12).fill([200, 'second']));
  expect((await ask(port, 'GET', '/metrics')).status).toBe(403);

  // Once: as the server behind would send it, also in an answer of nginx itself.
  const told = await Promise.all(
    ['/v3/balance', '/operator/v1/accounts', '/metrics'].map((at) => ask(port, 'GET', at)),
  );
  expect(told.map(({ headers }) => headers['strict-transport-security'])).toEqual(Array(3).fill('max-age=31536000'));
});
