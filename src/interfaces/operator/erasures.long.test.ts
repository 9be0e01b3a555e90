/** Erasing a closed account: proof of what went and what stayed, nothing of the person left, books still clean. */
import { expect, test } from 'vitest';
import { uploadedFile } from '../../../test/support/encrypted-upload.ts';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { addOperator } from '../../../test/support/operator.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { s3Store } from '../../engines/objects/s3-store.ts';
import { closeAccount } from './accounts.writes.ts';
import { byBootstrap } from './act.ts';
import { keptData, personalData, withoutPersonalData } from './personal-data.ts';

const shop = useOpened(() =>
  openShop({ account: { name: 'Ada Lovelace Ltd', email: 'ada@lovelace.test', balance: '100' } }),
);
const operator = useMade(() => addOperator(shop));

const erase = (accountId: string) =>
  operator.client.post('/erasures', {
    data: {
      ...{ type: 'erasures', attributes: { reason: 'Asked by letter of 3 June' } },
      relationships: { account: { data: { type: 'accounts', id: accountId } } },
    },
  });

test('personal data is exported, then erased with proof, and the ledger stays clean', async () => {
  const { env, accountId } = shop;
  const [didId] = await shop.buyDids('london');
  const identity = await env.db
    .insertInto('identities')
    .values({
      ...{ account_id: accountId, identity_type: 'personal', first_name: 'Ada', last_name: 'Lovelace' },
      ...{ phone_number: '442012345', contact_email: 'ada@lovelace.test', created_at: env.clock.now() },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await env.pool.query(
    `insert into addresses (account_id, identity_id, country_id, address, city_name, postal_code, created_at)
     select $1, $2, id, '12 Lovelace Street', 'London', 'W1', $3 from countries limit 1`,
    [accountId, identity.id, env.clock.now()],
  );
  const [created, nothing] = [env.clock.now(), '00000000-0000-4000-8000-000000000000'];
  await env.db
    .insertInto('voice_in_trunks')
    .values({
      ...{
        account_id: accountId,
        name: 'Lovelace PBX',
        configuration_type: 'pstn_configurations',
        created_at: created,
      },
      configuration: JSON.stringify({ dst: '442012345' }),
    })
    .execute();
  await env.db
    .insertInto('verification_calls')
    .values({ account_id: accountId, verification_id: nothing, destination: '442012345', started_at: created })
    .execute();
  await env.pool.query(
    `insert into call_traces (call_id, account_id, direction, src_number, dst_number, trunk_ids, leg_call_ids, leg_sides, state, started_at, dropped)
     values ('c', $1, 'in', '442012345', '1', '{}', '{}', '{}', 'ended', $2, 0)`,
    [accountId, created],
  );
  const exported = JSON.parse((await operator.client.get(`/personal_data?account=${accountId}`)).text).data;
  expect(exported).toMatchObject({
    account: [{ email: 'ada@lovelace.test' }],
    identities: [{ first_name: 'Ada' }],
    addresses: [{ address: '12 Lovelace Street' }],
    inbound_trunks: [{ name: 'Lovelace PBX', dst: '442012345' }],
    spoken_codes: [{ destination: '442012345' }],
    call_traces: [{ src_number: '442012345' }],
  });
  expect((await erase(accountId)).errors[0]?.detail).toContain('Close the account first');
  await closeAccount(byBootstrap(env), accountId, 'Asked to leave');
  expect((await erase(accountId)).errors[0]?.detail).toContain('has numbers until');
  // Its period ends and the number leaves the account.
  await env.pool.query('delete from dids where id = $1', [didId]);

  const proof = await erase(accountId);
  expect(proof.status, proof.text).toBe(201);
  expect(proof.resource.attributes).toMatchObject({
    erased: { account: 1, identities: 1, addresses: 1, inbound_trunks: 1, spoken_codes: 1, call_traces: 1 },
    kept: { ledger: { why: expect.stringContaining('tax law') }, orders: { count: 1 } },
  });
  expect((await erase(accountId)).status).toBe(422);
  const { rows: tables } = await env.pool.query(
    `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
  );
  for (const table of tables.map(({ name }) => String(name))) {
    const { rows } = await env.pool.query(
      `select t::text as line from ${table} t where t::text ~* 'lovelace|ada@|442012345'`,
    );
    expect([table, rows]).toEqual([table, []]);
  }
  await shop.expectCleanBooks();
  const { resources } = await operator.client.get(`/audit_entries?filter[action]=account.erased,account.exported`);
  expect(resources).toHaveLength(2);
});

test('stock and back orders say what is left and who waits', async () => {
  const buyer = await shop.addOwner('100');
  const stock = await operator.client.get('/stock?filter[country_iso]=GB');
  const london = stock.resources.find(({ attributes }) => Number(attributes.sold) > 0);
  expect(london?.attributes).toMatchObject({ country: 'United Kingdom', sold: 1 });
  expect((await operator.client.get('/back_orders')).resources).toEqual([]);
  expect((await operator.client.get(`/numbers?filter[account.id]=${buyer.accountId}`)).resources).toHaveLength(1);
});

test('every table with an account is erased, kept for a reason, or known to hold nothing about a person', async () => {
  const { rows } = await shop.env.pool.query(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = 'account_id' and c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
  );
  const statements = [...personalData.flatMap(({ erase }) => erase), ...keptData.map(({ count }) => count)].join('\n');
  const isListed = (table: string) =>
    withoutPersonalData.includes(table) || new RegExp(`(from|update) ${table}\\b`).test(statements);
  expect(rows.map(({ name }) => String(name)).filter((table) => !isListed(table))).toEqual([]);
});

test('files in object storage are deleted there too, and the proof lists them', async () => {
  const s3 = await startS3Server();
  const server = await startTestServer({ account: { balance: '100' }, objects: s3Store(s3.config, [1]) });
  try {
    const { client } = await addOperator(server);
    await uploadedFile(server, server.key, Buffer.from('%PDF-1.7 of Ada'));
    const filters = { from: '2026-06-01 00:00:00', to: '2026-06-15 12:00:00' };
    await server.client.post('/exports', {
      data: { type: 'exports', attributes: { export_type: 'cdr_in', filters } },
    });
    await runDueJobs(server.env);
    const keys = await s3.keys();
    expect(keys.map((key) => key.split('/')[1]).sort()).toEqual(['exports', 'uploads']);
    await closeAccount(byBootstrap(server.env), server.accountId, 'Asked to leave');
    s3.failBy(() => 503);
    const relationships = { account: { data: { type: 'accounts', id: server.accountId } } };
    const erased = await client.post('/erasures', {
      data: { type: 'erasures', attributes: { reason: 'Asked by letter' }, relationships },
    });
    const proof = async () => (await client.get(`/erasures/${erased.resource.id}`)).resource.attributes;
    await runDueJobs(server.env);
    expect(await proof()).toMatchObject({ erased: { uploaded_files: 1, exports: 1 }, objects_left: 2 });
    s3.failBy(() => null);
    await advanceClock(server.env, 3600);
    expect([await s3.keys(), (await proof()).objects_left]).toEqual([[], 0]);
    expect(((await proof()).objects as string[]).toSorted()).toEqual(keys.toSorted());
  } finally {
    await server.close();
    await s3.close();
  }
});

test('copies of the account are gone with it: worlds, snapshots, and whole copies that hold it', async () => {
  const server = await startTestServer({ worlds: true });
  try {
    const { client } = await addOperator(server);
    const { worlds, accountId } = server;
    if (worlds === null) throw new Error('there are no worlds');
    const other = await server.addAccount();
    await worlds.snapshots.save(accountId, 'own', null);
    await worlds.make({ accountId, from: 'current', name: 'Ada tests' });
    await worlds.snapshots.saveWhole(other.accountId, 'all');
    await worlds.snapshots.save(other.accountId, 'theirs', null);
    const kept = await worlds.snapshots.find(other.accountId, 'theirs');
    await closeAccount(byBootstrap(server.env), accountId, 'Asked to leave');
    const relationships = { account: { data: { type: 'accounts', id: accountId } } };
    const erased = await client.post('/erasures', {
      data: { type: 'erasures', attributes: { reason: 'Asked by letter' }, relationships },
    });
    expect(erased.resource.attributes.erased).toMatchObject({ worlds_and_snapshots: 3 });
    // The sweep ends worlds first; what only they were made from goes with the next one.
    await expect
      .poll(async () => {
        await worlds.sweep();
        return [await worlds.databases.ids('s'), await worlds.databases.ids('w')];
      })
      .toEqual([[kept?.id], []]);
    const { rows } = await server.env.pool.query("select id from worlds where name is not null or state <> 'ending'");
    expect(rows).toEqual([]);
  } finally {
    await server.close();
  }
});
