/** Our handshake with OpenSSL's, as the one and the other side: the same keys at both ends, by our own certificates. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DtlsIdentity, newDtlsIdentity } from '../../src/engines/media/dtls/certificate.ts';
import { ClientHandshake } from '../../src/engines/media/dtls/client-handshake.ts';
import { DtlsListener } from '../../src/engines/media/dtls/dtls-listener.ts';
import type { KeyPair } from '../../src/engines/media/srtp/profiles.ts';
import { machineTimers } from '../../src/engines/sip/timers.ts';
import { stopGently } from '../support/stop-gently.ts';

const ours = newDtlsIdentity(new Date());
const theirs = newDtlsIdentity(new Date());
const opened: { close(): unknown }[] = [];
let folder: string;
let files: string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-dtls-'));
  files = ['-cert', path.join(folder, 'certificate.pem'), '-key', path.join(folder, 'key.pem')];
  await writeFile(files[1] ?? '', new X509Certificate(Buffer.from(theirs.certificate)).toString());
  await writeFile(files[3] ?? '', keyOf(theirs).export({ type: 'pkcs8', format: 'pem' }));
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const keyOf = ({ privateKey }: DtlsIdentity) =>
  createPrivateKey({ key: Buffer.from(privateKey), type: 'pkcs8', format: 'der' });

/** Prints what it exports as we do. */
const exporting = ['-keymatexport', 'EXTRACTOR-dtls_srtp', '-keymatexportlen', '60'];

function openssl(...options: string[]): { child: ChildProcess; said: () => string } {
  const child = spawn('openssl', options, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes));
  opened.push({ close: () => stopGently(child) });
  return { child, said: () => said };
}

async function openSocket(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  opened.push({ close: () => socket.close() });
  return socket;
}

/** OpenSSL opens it a moment later. */
async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await once(socket.close(), 'close');
  return port;
}

interface Outcome {
  keys: KeyPair | null;
  failures: string[];
  isClosed: boolean;
}

function partsOf(outcome: Outcome) {
  return {
    certificate: Buffer.from(ours.certificate),
    privateKey: keyOf(ours),
    isExpected: (certificate: Buffer) => certificate.equals(theirs.certificate),
    timers: machineTimers,
    connected: (keys: KeyPair) => void Object.assign(outcome, { keys }),
    failed: (reason: string) => void outcome.failures.push(reason),
    closed: () => void Object.assign(outcome, { isClosed: true }),
  };
}

/** In the order in which they are exported. */
const materialOf = ({ sending, receiving }: KeyPair, side: 'client' | 'server'): string => {
  const [client, server] = side === 'client' ? [sending, receiving] : [receiving, sending];
  return Buffer.concat([client.key, server.key, client.salt, server.salt]).toString('hex').toUpperCase();
};
const materialIn = (said: string): string | undefined => /Keying material: ([0-9A-F]{120})/.exec(said)?.[1];

const listening = { timeout: 20_000, interval: 20 };

test.each([
  ['-mtu', '1400'],
  ['-mtu', '256'],
])('openssl is the client, with %s %s', async (...mtu) => {
  const socket = await openSocket();
  const outcome: Outcome = { keys: null, failures: [], isClosed: false };
  const listener = new DtlsListener({
    ...partsOf(outcome),
    send: (datagram, { port, address }) => socket.send(datagram, port, address),
  });
  opened.push(listener);
  socket.on('message', (datagram, from) => listener.received(datagram, from));
  const profiles = 'SRTP_AEAD_AES_256_GCM:SRTP_AES128_CM_SHA1_80';
  const to = `127.0.0.1:${socket.address().port}`;
  const { child, said } = openssl(
    's_client',
    '-dtls1_2',
    '-connect',
    to,
    '-use_srtp',
    profiles,
    ...mtu,
    ...files,
    ...exporting,
  );
  await expect.poll(() => materialIn(said()), listening).toBeDefined();
  await expect.poll(() => outcome.keys, listening).not.toBeNull();
  expect(outcome.failures).toEqual([]);
  expect(outcome.keys && materialOf(outcome.keys, 'server')).toBe(materialIn(said()));
  expect(said()).toContain('SRTP Extension negotiated, profile=SRTP_AES128_CM_SHA1_80');
  expect(said()).toContain('Extended master secret: yes');
  expect(said()).toMatch(/Cipher is ECDHE-ECDSA-AES128-GCM-SHA256|Cipher {4}: ECDHE-ECDSA-AES128-GCM-SHA256/);
  child.stdin?.end('Q\n');
  await expect.poll(() => outcome.isClosed, listening).toBe(true);
});

test.each([
  ['without a cookie', []],
  ['with a cookie', ['-listen']],
  ['in small pieces', ['-mtu', '256']],
])('openssl is the server, %s', async (_, options) => {
  const port = await freePort();
  const accept = ['-dtls1_2', '-accept', `127.0.0.1:${port}`, '-Verify', '1', '-use_srtp', 'SRTP_AES128_CM_SHA1_80'];
  const { said } = openssl('s_server', ...accept, ...options, ...files, ...exporting);
  await expect.poll(said, listening).toContain('ACCEPT');
  const socket = await openSocket();
  const outcome: Outcome = { keys: null, failures: [], isClosed: false };
  const handshake = new ClientHandshake({
    ...partsOf(outcome),
    send: (datagram) => socket.send(datagram, port, '127.0.0.1'),
  });
  opened.push(handshake);
  socket.on('message', (datagram) => handshake.received(datagram));
  await expect.poll(() => outcome.keys ?? outcome.failures, listening).toMatchObject({ sending: {} });
  await expect.poll(() => materialIn(said()), listening).toBeDefined();
  expect(outcome.keys && materialOf(outcome.keys, 'client')).toBe(materialIn(said()));
  expect(said()).toContain('CN = media');
});
