/**
 * What needs the customer's attention: each notification comes with its cause and goes with it, for the own account
 * only.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { makeIdentity } from '../../../test/support/paperwork.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';

const shop = useOpened(() => openShop({ account: { name: 'Acme', ...login, balance: '10' } }));
let browser: PanelClient;

beforeAll(async () => {
  browser = new PanelClient(shop.url);
  await browser.signIn();
});

interface Shown {
  key: string;
  kind: string;
  about: string | null;
  id: string | null;
  count: number;
}

const notifications = async (client = browser): Promise<Shown[]> =>
  JSON.parse((await client.get('/panel/v1/notifications')).text).notifications;
const kinds = async () => (await notifications()).map(({ kind }) => kind);
const inDays = (days: number) => new Date(shop.env.clock.now().getTime() + days * 86_400_000);

test('an account in order has none', async () => {
  expect(await notifications()).toEqual([]);
});

test('callbacks that failed are counted, and another one is something new', async () => {
  const failed = {
    account_id: shop.accountId,
    kind: 'orders',
    url: 'https://example.com/hooks',
    method: 'post' as const,
    payload: '{}',
    status: 'failed' as const,
    created_at: inDays(-1),
    finished_at: inDays(-1),
  };
  await shop.env.db.insertInto('deliveries').values(failed).execute();
  const [first] = await notifications();
  expect(first).toMatchObject({ kind: 'callbacks_failed', count: 1 });
  await shop.env.db
    .insertInto('deliveries')
    .values([failed, { ...failed, created_at: inDays(-8), finished_at: inDays(-8) }])
    .execute();
  const [second] = await notifications();
  expect(second).toMatchObject({ kind: 'callbacks_failed', count: 2 });
  expect(second?.key).not.toBe(first?.key);
  await shop.env.db.deleteFrom('deliveries').execute();
});

test('a proof that ends within 30 days is named with its identity, and one that has ended too', async () => {
  const identity = await makeIdentity(shop.client);
  const { id: type } = await shop.env.db
    .insertInto('proof_types')
    .values({ id: randomUUID(), name: 'Utility Bill', entity_type: 'Address', position: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  const proof = { account_id: shop.accountId, proof_type_id: type, identity_id: identity, created_at: inDays(0) };
  await shop.env.db.insertInto('proofs').values(proof).execute();
  const expires = (days: number) =>
    shop.env.db
      .updateTable('proofs')
      .set({ expires_at: inDays(days) })
      .execute();
  await expires(31);
  expect(await notifications()).toEqual([]);
  await expires(29);
  expect(await notifications()).toMatchObject([{ kind: 'document_expires', about: 'Utility Bill', id: identity }]);
  await expires(-1);
  expect(await kinds()).toEqual(['document_expired']);
  await shop.env.db.updateTable('proofs').set({ expires_at: null }).execute();
});

test('a receiver that does not take events and a key that ends are each one', async () => {
  await shop.env.db
    .insertInto('call_event_lanes')
    .values({ account_id: shop.accountId, stream: 'voice_in_events', failures: 3, retry_at: inDays(1) })
    .execute();
  await shop.env.db
    .updateTable('api_keys')
    .set({ expires_at: inDays(2) })
    .execute();
  expect((await kinds()).sort()).toEqual(['events_not_accepted', 'key_ends']);
});

test('an account without money hears of that alone, and of no other account', async () => {
  const theirs = { email: 'else@other.test', password: 'another long password' };
  await shop.addAccount({ ...theirs, balance: '0' });
  const stranger = new PanelClient(shop.url);
  await stranger.signIn(theirs);
  expect(await notifications(stranger)).toMatchObject([{ kind: 'no_money' }]);
});
