/** A request that cannot be served says whether anything was changed. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { HeldConnections } from '../../../test/support/held-connections.ts';
import { document, makeIdentity, person } from '../../../test/support/paperwork.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { VerificationClient } from '../../../test/support/verification-client.ts';
import { DatabaseBusy } from '../../engines/db/unavailable.ts';
import { createApplication } from '../verification/application.writes.ts';

const server = useOpened(() => startTestServer({ account: { balance: '100' }, pool: { max: 5, requestWaitMs: 150 } }));

beforeAll(async () => {
  await server.client.get('/balance');
  // The session ends in the middle of a COMMIT, once per record of this name.
  await server.env.pool.query(`
    create function end_session() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
    create constraint trigger end_session after insert on voice_in_trunk_groups deferrable initially deferred
      for each row when (new.name = 'broken off') execute function end_session();
    create constraint trigger end_session after update on identities deferrable initially deferred
      for each row when (new.description = 'broken off') execute function end_session()`);
});

const held = new HeldConnections();
afterEach(() => {
  vi.restoreAllMocks();
  held.release();
});

const createGroup = (name: string) =>
  server.client.post('/voice_in_trunk_groups', document('voice_in_trunk_groups', { name }));
const outcomeOf = ({ status, headers, errors }: Awaited<ReturnType<typeof createGroup>>) => [
  status,
  headers.get('retry-after'),
  errors[0]?.meta?.outcome,
];
const groups = async () => (await server.client.get('/voice_in_trunk_groups')).resources.length;

/** From now on nothing is read of this table. */
function cannotRead(table: string): void {
  const { pool } = server.env;
  const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
  vi.spyOn(pool, 'query').mockImplementation((...given: unknown[]) => {
    if (typeof given[0] === 'string' && new RegExp(`^\\s*select[^]*from ${table}\\b`).test(given[0])) {
      return Promise.reject(new DatabaseBusy('busy'));
    }
    return query(...given);
  });
}

test('a request that gets no connection has changed nothing', async () => {
  await held.take(server.env.pool, 5);
  expect(outcomeOf(await createGroup('a'))).toEqual([503, '1', 'nothing_changed']);
});

test('a transaction that was refused before its end has changed nothing', async () => {
  await server.env.pool.query(`
    create function disk_full() returns trigger language plpgsql as $$
    begin raise 'no space left on device' using errcode = 'disk_full'; end $$;
    create trigger disk_full before insert on voice_in_trunk_groups
      for each row when (new.name = 'no room') execute function disk_full()`);
  expect(outcomeOf(await createGroup('no room'))).toEqual([503, '1', 'nothing_changed']);
});

test('a connection that breaks while a change is stored leaves it unknown', async () => {
  expect(outcomeOf(await createGroup('broken off'))).toEqual([503, '1', 'unknown']);
  const id = await makeIdentity(server.client);
  const changed = await server.client.patch(`/identities/${id}`, {
    data: { type: 'identities', id, attributes: { description: 'broken off' } },
  });
  expect(outcomeOf(changed)).toEqual([503, '1', 'unknown']);
});

test('a change whose answer cannot be read is told as done', async () => {
  const before = await groups();
  cannotRead('voice_in_trunk_groups');
  expect(outcomeOf(await createGroup('done'))).toEqual([503, '1', 'done']);
  vi.restoreAllMocks();
  expect(await groups()).toBe(before + 1);
  cannotRead('identities');
  expect(outcomeOf(await server.client.post('/identities', document('identities', person)))).toEqual([
    503,
    '1',
    'done',
  ]);
});

test('a verification that cannot be answered says so in a header, since the form of its errors is fixed', async () => {
  const { key, secret } = await createApplication(server.env, server.accountId, { name: 'outcome' });
  const client = new VerificationClient(server.url, { key, secret: secret.reveal() });
  const start = () => client.start({ destination: '442071234567', delivery_method: 'sms' });
  await server.env.pool.query(`
    create constraint trigger end_session after insert on verifications deferrable initially deferred
      for each row execute function end_session()`);
  const broken = await start();
  expect([broken.status, broken.headers.get('retry-after'), broken.headers.get('x-outcome')]).toEqual([
    503,
    '1',
    'unknown',
  ]);
  await held.take(server.env.pool, 5);
  expect((await start()).headers.get('x-outcome')).toBe('nothing_changed');
});

test('of a control request of the sandbox that writes nothing is promised', async () => {
  await server.client.get('/balance');
  const headers = { 'api-key': server.key, 'content-type': 'application/json' };
  const ask = (init: object) => fetch(`${server.url}/sandbox/v1/orders`, { headers, ...init });
  expect((await ask({})).status).toBe(200);
  await held.take(server.env.pool, 5);
  const asked = await Promise.all([ask({ method: 'POST', body: JSON.stringify({ delay_seconds: 1 }) }), ask({})]);
  const told = await Promise.all(asked.map(async (response) => [response.status, await response.json()]));
  expect(asked[0].headers.get('retry-after')).toBe('1');
  expect(told).toMatchObject([
    [503, { outcome: 'unknown' }],
    [503, { outcome: 'nothing_changed' }],
  ]);
});
