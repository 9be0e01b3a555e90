/** Erasing a closed account: proof of what went and what stayed, nothing of the person left, books still clean. */
import { expect, test } from 'vitest';
import { addOperator } from '../../test/support/operator.ts';
import { openShop } from '../../test/support/shop.ts';
import { useMade, useOpened } from '../../test/support/use.ts';
import { closeAccount } from './accounts.writes.ts';
import { byBootstrap } from './act.ts';

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
  const exported = JSON.parse((await operator.client.get(`/personal_data?account=${accountId}`)).text).data;
  expect(exported).toMatchObject({
    account: [{ email: 'ada@lovelace.test' }],
    identities: [{ first_name: 'Ada' }],
    addresses: [{ address: '12 Lovelace Street' }],
  });
  expect((await erase(accountId)).errors[0]?.detail).toContain('Close the account first');
  await closeAccount(byBootstrap(env), accountId, 'Asked to leave');
  expect((await erase(accountId)).errors[0]?.detail).toContain('has numbers until');
  // Its period ends and the number leaves the account.
  await env.pool.query('delete from dids where id = $1', [didId]);

  const proof = await erase(accountId);
  expect(proof.status, proof.text).toBe(201);
  expect(proof.resource.attributes).toMatchObject({
    erased: { account: 1, identities: 1, addresses: 1 },
    kept: { ledger: { why: expect.stringContaining('tax law') }, orders: { count: 1 } },
  });
  expect((await erase(accountId)).status).toBe(422);
  for (const table of ['accounts', 'identities', 'addresses', 'audit_log', 'orders', 'erasures']) {
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
