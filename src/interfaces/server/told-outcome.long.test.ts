/**
 * Every 503 of every interface says what is known of its changes, and when to come back. The places that make one are
 * listed here, so that a new place has to be met by a test first.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { VerificationClient } from '../../../test/support/verification-client.ts';
import { DatabaseBusy } from '../../engines/db/unavailable.ts';
import { JobsStalled } from '../../engines/jobs/due.ts';
import { createApplication } from '../verification/application.writes.ts';
import { CannotClone } from '../worlds/databases.ts';
import { TooManyWaiting, Turns } from '../worlds/turns.ts';
import { refusalFor } from './refusals.ts';

const server = useOpened(() => startTestServer({ worlds: true }));
afterEach(() => vi.restoreAllMocks());

const control = async (method: string, url: string, body?: object) => {
  const response = await fetch(`${server.url}/sandbox/v1${url}`, {
    method,
    headers: { 'api-key': server.key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { outcome } = (await response.json()) as { outcome?: string };
  return [response.status, response.headers.get('retry-after'), outcome];
};
const worldsOf = () => {
  if (server.worlds === null) throw new Error('the server has no worlds');
  return server.worlds;
};

test('the places that respond with 503 are known', () => {
  const root = path.join(import.meta.dirname, '../..');
  const places = globSync('{interfaces,run/boot,engines/jsonapi}/**/*.ts', { cwd: root })
    .filter((file) => !/\.test\.ts$|openapi/.test(file))
    .filter((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .some((line) => !/^\s*(\/?\*|\/\/)/.test(line) && /\b503\b/.test(line)),
    );
  expect(places.sort()).toEqual([
    'engines/jsonapi/errors.ts', // outcome.long.test.ts
    'interfaces/panel/web-files.ts', // a page that was not built: nothing to repeat
    'interfaces/sandbox/control-worlds.ts',
    'interfaces/sandbox/control.ts',
    'interfaces/sandbox/faults/named-errors.ts',
    'interfaces/sandbox/routes.ts', // outcome.long.test.ts
    'interfaces/server/http-server.ts',
    'interfaces/server/injected-faults.ts',
    'interfaces/server/media-metrics.ts', // counts those of calls
    'interfaces/server/metrics.ts', // counts them
    'interfaces/server/overload.ts',
    'interfaces/server/pages.ts', // /readyz
    'interfaces/server/refusals.ts',
    'interfaces/server/request-work.ts',
    'interfaces/server/sip-socket.ts', // a connection that was not opened: nothing to repeat
    'interfaces/verification/errors.ts', // outcome.long.test.ts
    'interfaces/verification/responses.ts', // outcome.long.test.ts
    'interfaces/worlds/turns.ts',
    'run/boot/starting-pages.ts', // test/recovery
    'run/boot/worlds.ts',
  ]);
});

test.each([
  ['/v3/dids', ({ errors }: Body) => errors?.[0]?.meta?.outcome],
  ['/operator/v1/accounts', ({ errors }: Body) => errors?.[0]?.meta?.outcome],
  ['/api/v1/verifications', null],
  ['/sandbox/v1/clock', ({ outcome }: Body) => outcome],
  ['/panel/v1/session', ({ outcome }: Body) => outcome],
  ['/w/1f0c2a9e4b7d4c1e/api/v1/verifications', null],
])('%s, refused by its head, has changed nothing', (url, outcomeOf) => {
  const { status, headers, body } = refusalFor(url, 503);
  const outcome = outcomeOf === null ? headers['x-outcome'] : outcomeOf(JSON.parse(body));
  expect([status, headers['retry-after'], outcome]).toEqual([503, '1', 'nothing_changed']);
});

interface Body {
  outcome?: string;
  errors?: { meta?: { outcome?: string } }[];
}

test('a line that is full has changed nothing', async () => {
  const full = () => vi.spyOn(Turns.prototype, 'take').mockRejectedValueOnce(new TooManyWaiting(503, 'full'));
  full();
  expect(await control('POST', '/seed', { accounts: [] })).toEqual([503, '1', 'nothing_changed']);
  full();
  expect(await control('POST', '/snapshots', { name: 'full' })).toEqual([503, '1', 'nothing_changed']);
});

test('an advance whose jobs did not end may have done some of them', async () => {
  vi.spyOn(server.clock.turns, 'take').mockRejectedValueOnce(new JobsStalled('stalled'));
  expect(await control('POST', '/clock', { advance_seconds: 1 })).toEqual([503, '1', 'unknown']);
});

test('a clone that the database refuses has changed nothing, but a reset has ended the former state', async () => {
  const { id } = await worldsOf().make({ accountId: server.accountId, from: 'empty', name: null });
  vi.spyOn(worldsOf(), 'make').mockRejectedValueOnce(new CannotClone('no'));
  expect(await control('POST', '/worlds', { from: 'empty' })).toEqual([503, '1', 'nothing_changed']);
  vi.spyOn(worldsOf(), 'reset').mockRejectedValueOnce(new CannotClone('no'));
  expect(await control('POST', `/worlds/${id}/reset`, {})).toEqual([503, '1', 'unknown']);
});

test('a world that cannot be opened asks to come back', async () => {
  const { id, apiKey } = await worldsOf().make({ accountId: server.accountId, from: 'empty', name: null });
  vi.spyOn(worldsOf().open, 'handle').mockImplementation(() => Promise.reject(new DatabaseBusy('busy')));
  const headers = { 'api-key': apiKey };
  const platform = await fetch(`${server.url}/w/${id}/v3/balance`, { headers });
  expect([platform.status, platform.headers.get('retry-after'), await platform.json()]).toMatchObject([
    503,
    '1',
    { errors: [{ meta: { outcome: 'nothing_changed' } }] },
  ]);
  const sandbox = await fetch(`${server.url}/w/${id}/sandbox/v1/clock`, { headers });
  expect([sandbox.status, sandbox.headers.get('retry-after'), await sandbox.json()]).toMatchObject([
    503,
    '1',
    { outcome: 'nothing_changed' },
  ]);
});

test('an injected 503 has not carried the request out', async () => {
  const fault = { match: { path: '/api/v1/*' }, do: { status: 503 }, times: 1 };
  const headers = { 'api-key': server.key, 'content-type': 'application/json' };
  const asked = { method: 'POST', headers, body: JSON.stringify(fault) };
  expect((await fetch(`${server.url}/sandbox/v1/faults`, asked)).status).toBe(201);
  const { key, secret } = await createApplication(server.env, server.accountId, { name: 'told' });
  const client = new VerificationClient(server.url, { key, secret: secret.reveal() });
  const refused = await client.start({ destination: '442071234567', delivery_method: 'sms' });
  expect([refused.status, refused.headers.get('x-outcome'), Number(refused.headers.get('retry-after'))]).toEqual([
    503,
    'nothing_changed',
    expect.any(Number),
  ]);
});
