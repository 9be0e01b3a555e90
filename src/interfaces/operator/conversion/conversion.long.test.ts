/**
 * Conversion is counted from what was sent, a collapse blocks the prefix for whom it must, and a block can be lifted.
 */
import { expect, onTestFinished, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { VerificationClient } from '../../../../test/support/verification-client.ts';
import { startVerificationServer } from '../../../../test/support/verification-server.ts';
import { createAccount } from '../../../business/accounts/accounts.ts';
import { createHttpServer } from '../../server/http-server.ts';
import { createApplication } from '../../verification/application.writes.ts';
import { applyRule } from '../../verification/conversion/guard-prefixes.ts';
import { changeSettings, readSettings } from '../../verification/settings.ts';
import { uuidv7 } from '../../verification/uuidv7.ts';
import { byBootstrap } from '../act.ts';
import { operatorRoom } from '../routes.ts';
import { changePrefixBlock, decideOnPrefix } from './prefix-blocks.writes.ts';
import { readConversion } from './report.ts';

const server = useOpened(() => startVerificationServer());
let sent = 0;
let customers = 0;

/** An account of its own, and what a client of its application does. */
async function customer() {
  const { env, url } = server;
  const { id: accountId } = await createAccount(env, { name: `Customer ${++customers}`, balance: '100' });
  const { key, secret } = await createApplication(env, accountId, { name: 'app' });
  const client = new VerificationClient(url, { key, secret: secret.reveal() }, 'application');
  return { accountId, start: (data: Record<string, unknown>) => client.start(data) };
}

/** Stores codes that were sent a while ago to numbers with a prefix, so many of them verified. */
async function send(prefix: string, count: number, verified: number, accountId: string): Promise<void> {
  const { env } = server;
  const { id: applicationId } = await env.db
    .selectFrom('otp_applications')
    .select('id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const at = env.clock.now();
  const expires = new Date(at.getTime() + 60_000);
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ id: uuidv7(env.clock), application_id: applicationId, account_id: accountId, delivery_method: 'sms' as const },
    destination: `${prefix}${String(++sent).padStart(5, '0')}`,
    status: index < verified ? ('verified' as const) : ('pending' as const),
    ...{ fee: '0', language: 'en-US', code_length: 6, code_timeout: 60 },
    ...{ created_at: at, expires_at: expires, final_at: expires },
    ...{ dispatch_started_at: at, dispatched_at: new Date(at.getTime() + 250) },
  }));
  await env.db.insertInto('verifications').values(rows).execute();
}

const lookAt = async (by: 'prefix' | 'account' | 'country') => {
  const now = server.clock.now().getTime();
  return readConversion(server.env, { by, since: new Date(now - 86_400_000), until: new Date(now + 1), digits: 6 });
};
const inForce = () =>
  server.env.db
    .selectFrom('prefix_blocks')
    .select(['id', 'prefix', 'account_id', 'mode', 'reason'])
    .where('lifted_at', 'is', null)
    .orderBy('prefix')
    .execute();

/** Runs `change` and waits until the server has heard of it. */
async function heard<T>(change: () => Promise<T>, table = 'prefix_blocks'): Promise<T> {
  const told = new Promise<void>((resolve) => server.env.changes.on(table, () => resolve()));
  const result = await change();
  await told;
  return result;
}

test('a collapsed prefix is reported, then blocked for the account that it concerns, and lifted for good', async () => {
  const { env, clock } = server;
  const [victim, neighbour] = [await customer(), await customer()];
  await send('491511', 60, 1, victim.accountId);
  await send('491511', 60, 50, neighbour.accountId);
  await send('491700', 10, 0, victim.accountId);
  clock.advance(120);
  const byPrefix = await lookAt('prefix');
  expect(byPrefix).toMatchObject([
    { key: '491511', starts: 120, sent: 120, verified: 51, open: 0, conversion_percent: 42.5, sending_ms: 250 },
    { key: '491700', starts: 10, conversion_percent: 0 },
  ]);
  expect(await lookAt('country')).toMatchObject([{ key: 'DE', starts: 130 }]);
  expect((await lookAt('account')).map(({ conversion_percent }) => conversion_percent)).toEqual([1.4, 83.3]);

  const settings = { ...(await readSettings(env)), conversionMode: 'monitor' as const };
  expect(await applyRule(env, settings)).toBe(1);
  expect(await inForce()).toMatchObject([{ prefix: '491511', account_id: victim.accountId, mode: 'monitor' }]);
  const start = (client: typeof victim) => client.start({ destination: '4915119999999', delivery_method: 'sms' });
  expect((await start(victim)).status).toBe(201);
  expect(await heard(() => applyRule(env, { ...settings, conversionMode: 'block' }))).toBe(1);
  clock.advance(60);
  const refused = await start(victim);
  expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([422, 'destination_not_supported_for_channel']);
  expect((await start(neighbour)).status).toBe(201);
  const [entry] = await env.db.selectFrom('verification_blocked_starts').select('reason').execute();
  expect(entry?.reason).toBe('prefix_blocked');

  const [block] = await inForce();
  expect(block?.reason).toContain('1 of 60 codes (1.7 %) came back in 60 minutes');
  const lift = { lifted: true, reason: 'a campaign' };
  await heard(() => changePrefixBlock(byBootstrap(env), block?.id ?? '', lift));
  await expect(changePrefixBlock(byBootstrap(env), block?.id ?? '', lift)).rejects.toThrow('lifted already');
  expect(await applyRule(env, { ...settings, conversionMode: 'block' })).toBe(0);
  expect((await start(victim)).status).toBe(201);
});

test('a safe prefix is never blocked, a block ends by itself, and one decision is in force at a time', async () => {
  const { env, clock } = server;
  const client = await customer();
  await send('4917', 60, 0, client.accountId);
  clock.advance(120);
  const safe = { prefix: '49', mode: 'safe', accountId: null, until: null, reason: 'our own country' } as const;
  await heard(() => decideOnPrefix(byBootstrap(env), safe));
  await expect(decideOnPrefix(byBootstrap(env), safe)).rejects.toThrow('already');
  await lookAt('prefix');
  expect(await applyRule(env, { ...(await readSettings(env)), conversionMode: 'block' })).toBe(0);
  const until = new Date(clock.now().getTime() + 3_600_000);
  const blocked = { prefix: '441', mode: 'block', accountId: null, until, reason: 'fraud' } as const;
  await heard(() => decideOnPrefix(byBootstrap(env), blocked));
  const start = () => client.start({ destination: '441534555555', delivery_method: 'sms' });
  expect((await start()).status).toBe(422);
  clock.advance(3600);
  expect((await start()).status).toBe(201);
});

test('countries that share a calling code are told apart, and a number of no plan has one too', async () => {
  const client = await customer();
  // Great Britain's numbers for films, Jersey with the same six digits (beside one of the test above), Canada, no area
  // code of +1, Kazakhstan, Russia.
  for (const prefix of ['4477009000', '447700300', '1416555', '1555555', '7701234', '7912345'])
    await send(prefix.slice(0, -1), 1, 0, client.accountId);
  server.clock.advance(120);
  const counted = (await lookAt('country')).map(({ key, starts }) => `${key} ${starts}`);
  expect(counted).toEqual(expect.arrayContaining(['GB 1', 'JE 2', 'CA 1', 'US 1', 'KZ 1', 'RU 1']));
  expect(counted.join()).not.toContain('null');
});

test('a collapse is only noted while the rule learns, and blocked after that', async () => {
  const { env, clock } = server;
  const settings = { ...(await readSettings(env)), conversionMode: 'enforce' as const, conversionDigits: 5 };
  const client = await customer();
  const decided = async () => {
    await send('336123', 60, 0, client.accountId);
    clock.advance(120);
    await lookAt('prefix');
    await applyRule(env, settings);
    return (await inForce()).filter(({ prefix }) => prefix === '33612').map(({ mode }) => mode);
  };
  expect(await decided()).toEqual(['monitor']);
  clock.advance(7 * 86_400);
  expect(await decided()).toEqual(['block']);
});

test('a job counts and decides every ten minutes while codes are sent', async () => {
  const { env, clock } = server;
  const client = await customer();
  await changeSettings(env, { conversionMode: 'block', conversionStarts: 5 });
  await expect.poll(async () => (await readSettings(env)).conversionMode).toBe('block');
  await send('331234', 6, 0, client.accountId);
  await expect
    .poll(async () => {
      await client.start({ destination: `3367890${String(++sent).padStart(4, '0')}`, delivery_method: 'sms' });
      const { rows } = await env.pool.query(`select 1 from jobs where task = 'verification.conversion'`);
      return rows.length;
    })
    .toBe(1);
  clock.advance(600);
  await runDueJobs(env);
  expect((await inForce()).filter(({ prefix }) => prefix === '331234')).toMatchObject([{ mode: 'block' }]);
});

test('a guard is set and restored as at the command line, and what it refuses is listed', async () => {
  const { env } = server;
  const app = await createHttpServer(env, { rooms: [(scope) => operatorRoom(scope, env)] });
  onTestFinished(() => app.close());
  const { client } = await addOperator({ env, url: await app.listen({ host: '127.0.0.1', port: 0 }) });
  const read = async (name: string) => (await client.get(`/guards?filter[name]=${name}`)).resources[0];
  const guard = await read('destinationBudget');
  const id = guard?.id;
  expect(guard?.attributes).toMatchObject({ value: null, is_changed: false, shipped_in_sandbox: 'off' });
  expect((await read('publicAddressRate'))?.attributes).toMatchObject({ shipped_in_production: '20' });
  const set = (value: string) =>
    client.patch(`/guards/${id}`, { data: { type: 'guards', id, attributes: { value, reason: 'a flood' } } });
  expect((await set('3')).text).toContain('destinationBudget must be LIMIT/SECONDS');
  expect((await heard(() => set('1/3600'), 'verification_settings')).resource.attributes).toMatchObject({
    value: '1/3600',
    is_changed: true,
  });
  const { accountId, start } = await customer();
  const phone = { destination: '436641234567', delivery_method: 'sms' };
  expect((await start(phone)).status).toBe(201);
  server.clock.advance(60);
  expect((await start(phone)).status).toBe(429);
  const listed = await client.get(`/refused_starts?filter[account.id]=${accountId}&include=account`);
  expect(listed.resources).toMatchObject([
    { attributes: { destination: '436641234567', reason: 'destination_budget', application: 'app' } },
  ]);
  expect((await heard(() => set('default'), 'verification_settings')).resource.attributes).toMatchObject({
    value: null,
    is_changed: false,
  });
  const { resources } = await client.get('/audit_entries?filter[action]=verification_settings.changed&page[size]=1');
  expect(resources[0]?.attributes).toMatchObject({ before: { destinationBudget: { limit: 1 } }, reason: 'a flood' });
});

test('blocked prefixes and e-mails that were given up are in /metrics', async () => {
  const server = await startTestServer();
  const metrics = async () => (await (await fetch(`${server.url}/metrics`)).text()).split('\n');
  const blocked = (by: string, count: number) =>
    `trunkline_prefixes_blocked{by="${by}",environment="sandbox"} ${count}`;
  const givenUp = (count: number) => `trunkline_mails_given_up{environment="sandbox"} ${count}`;
  expect(await metrics()).toEqual(expect.arrayContaining([blocked('rule', 0), blocked('operator', 0), givenUp(0)]));
  await server.env.pool.query(`
    insert into prefix_blocks (id, prefix, mode, reason, actor, created_at, until)
      values (gen_random_uuid(), '49151', 'block', 'r', 'system', environment_time.now(), environment_time.now() + interval '1 hour'),
             (gen_random_uuid(), '49152', 'block', 'r', 'system', environment_time.now(), environment_time.now() - interval '1 hour'),
             (gen_random_uuid(), '49153', 'monitor', 'r', 'system', environment_time.now(), null),
             (gen_random_uuid(), '49154', 'block', 'r', 'ops@x.test', environment_time.now(), null);
    insert into mails (kind, created_at, given_up_at)
      values ('reset', environment_time.now(), environment_time.now()),
             ('reset', environment_time.now(), environment_time.now() - interval '2 days'), ('reset', environment_time.now(), null)`);
  await expect.poll(metrics).toEqual(expect.arrayContaining([blocked('rule', 1), blocked('operator', 1), givenUp(1)]));
  await server.close();
});
