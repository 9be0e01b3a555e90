/**
 * Scans by sipvicious and in its manner, in production, from a source that nobody knows: sweeps of OPTIONS, REGISTER
 * and INVITE. They get no further than a 403, cost one read each and leave a few rows.
 */
import { execFile } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { statementsDuring } from '../../../test/support/statements.ts';
import { createWorld, type World } from './world.fixture.ts';

let world: World;
let scanner: Socket;

beforeAll(async () => {
  world = await createWorld({ name: 'production' });
});
afterAll(() => world.close());
beforeEach(async () => {
  scanner = createSocket('udp4').bind(0, '127.0.0.1');
  await once(scanner, 'listening');
});
afterEach(() => scanner.close());

let sent = 0;

/** Sends requests one after another; returns the final status of each. */
async function sweep(method: string, users: readonly string[], headers: readonly string[] = []): Promise<number[]> {
  const statuses: number[] = [];
  for (const user of users) {
    sent += 1;
    const uri = method === 'INVITE' ? `sip:${user}@127.0.0.1` : 'sip:127.0.0.1';
    const lines = [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${scanner.address().port};branch=z9hG4bKscan${sent};rport`,
      ...[`From: "sipvicious" <sip:${user}@1.1.1.1>;tag=${sent}`, `To: "sipvicious" <sip:${user}@1.1.1.1>`],
      ...[`Call-ID: scan-${sent}`, `CSeq: 1 ${method}`, `Contact: <sip:${user}@127.0.0.1:9>`, 'Max-Forwards: 70'],
      ...['User-Agent: friendly-scanner', ...headers, 'Content-Length: 0', '', ''],
    ];
    scanner.send(lines.join('\r\n'), world.endpoint.ports.udp, '127.0.0.1');
    statuses.push(await finalStatus(`Call-ID: scan-${sent}\r\n`));
  }
  return statuses;
}

async function finalStatus(callId: string): Promise<number> {
  for (;;) {
    const text = String((await once(scanner, 'message'))[0]);
    const status = Number(text.slice(8, 11));
    if (status >= 200 && text.includes(callId)) return status;
  }
}

const extensions = Array.from({ length: 150 }, (_, index) => String(100 + index));
const count = (statuses: readonly number[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length]));
const rowsOf = async (table: 'call_refusals' | 'call_traces' | 'cdrs_in' | 'cdrs_out' | 'open_calls') =>
  Number((await world.world.env.pool.query(`select count(*) as rows from ${table}`)).rows[0].rows);

test('a sweep of INVITE: 403 for each, one read each, one row with a count and the first request as its sample', async () => {
  const numbers = [...extensions, '00442037691880', '900442037691880', '+972592277524', 'admin'];
  const before = sent;
  const statements = await statementsDuring(world.world.env.pool, async () => {
    expect(count(await sweep('INVITE', numbers))).toEqual({ 403: numbers.length });
  });
  expect(statements.length).toBeLessThanOrEqual(sent - before + 1);
  await world.voice.recorder.flush();
  const { rows } = await world.world.env.pool.query('select rule, source, count, sample from call_refusals');
  expect(rows).toMatchObject([
    {
      rule: 'unlisted_source',
      source: '127.0.0.1',
      count: numbers.length,
      sample: expect.stringMatching(/^INVITE sip:100@/),
    },
  ]);
  expect([
    await rowsOf('cdrs_in'),
    await rowsOf('cdrs_out'),
    await rowsOf('open_calls'),
    await rowsOf('call_traces'),
  ]).toEqual([0, 0, 0, 0]);
});

/** What one of its programs says. It waits some seconds for responses that may still come. */
async function sipvicious(program: 'svmap' | 'svwar' | 'svcrack', ...args: string[]): Promise<string> {
  // It keeps its sessions in the home folder.
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-scan-'));
  try {
    const env = { ...process.env, HOME: folder };
    const words = ['-p', String(world.endpoint.ports.udp), ...args, '127.0.0.1'];
    const { stdout, stderr } = await promisify(execFile)(program, words, { cwd: folder, env });
    return stdout + stderr;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('sipvicious finds that there is SIP, and neither users nor passwords; all it tried is among the refusals', async () => {
  await world.world.env.db.deleteFrom('call_refusals').execute();
  const accountId = await world.telephony.account();
  const user = { enabled_sip_registration: true, incoming_auth_username: '104', incoming_auth_password: '2000' };
  await world.telephony.trunk(accountId, {}, user);
  const [map, calls, users, passwords] = await Promise.all([
    sipvicious('svmap'),
    sipvicious('svmap', '-m', 'INVITE'),
    sipvicious('svwar', '-e', '100-110'),
    sipvicious('svcrack', '-u', '104', '-r', '1000-1003'),
  ]);
  for (const found of [map, calls]) expect(found).toContain(`127.0.0.1:${world.endpoint.ports.udp}`);
  expect(users).toMatch(/authentication request for an unknown extension[\s\S]*found nothing/);
  expect(passwords).toContain('found nothing');
  await world.voice.recorder.flush();
  const refusals = await world.world.env.db.selectFrom('call_refusals').selectAll().execute();
  expect(refusals.map(({ rule }) => rule).sort()).toEqual(['register_wrong_credentials', 'unlisted_source']);
  for (const { sample, disconnect_code: code } of refusals)
    expect([code, sample]).toEqual([403, expect.stringContaining('friendly-scanner')]);
  expect([await rowsOf('cdrs_in'), await rowsOf('open_calls'), await rowsOf('call_traces')]).toEqual([0, 0, 0]);
});

test('a sweep of REGISTER: a challenge, and 403 for every guess, whether the user exists or not', async () => {
  const accountId = await world.telephony.account();
  const registering = {
    enabled_sip_registration: true,
    incoming_auth_username: 'realuser',
    incoming_auth_password: 'realpassword',
  };
  await world.telephony.trunk(accountId, {}, registering);
  expect(count(await sweep('REGISTER', extensions))).toEqual({ 401: extensions.length });
  const guess = (user: string) =>
    `Authorization: Digest username="${user}", realm="trunkline", nonce="made-up", uri="sip:127.0.0.1", response="${'0'.repeat(32)}"`;
  const known = await sweep('REGISTER', ['realuser'], [guess('realuser')]);
  const unknown = await sweep('REGISTER', ['nobody'], [guess('nobody')]);
  expect(known).toEqual(unknown);
  expect([401, 403]).toContain(known[0]);
});

test('a sweep of OPTIONS tells what any element tells; BYE, CANCEL and the rest reach nothing', async () => {
  expect(count(await sweep('OPTIONS', extensions))).toEqual({ 200: extensions.length });
  for (const [method, status] of [
    ['BYE', 481],
    ['SUBSCRIBE', 405],
    ['MESSAGE', 405],
    ['PUBLISH', 405],
  ] as const) {
    expect([method, await sweep(method, ['100'])]).toEqual([method, [status]]);
  }
  expect(await rowsOf('call_refusals')).toBeLessThan(10);
});
