/** Reservations: how long, how many, and what they keep others from. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { postReservation } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());
beforeAll(async () => {
  await shop.stock('london', 30);
});

const refused = {
  title: 'is invalid',
  detail: 'available_did - is invalid',
  code: '100',
  source: { pointer: '/data/relationships/available_did' },
  status: '422',
};

test('a hold lasts ten minutes, counts against the allowance and hides the number from others', async () => {
  const other = await shop.addAccount();
  const id = await shop.availableDid('london');
  const response = await postReservation(shop.client, id, { description: 'ticket 7' });
  expect(response.status).toBe(201);
  expect(response.meta).toEqual({ api_version: '2026-04-16' });
  expect(response.resource.attributes).toEqual({
    description: 'ticket 7',
    created_at: '2026-06-15T12:00:00.000Z',
    expires_at: '2026-06-15T12:10:00.000Z',
  });
  const { id: reservation } = response.resource;
  const read = await shop.client.get(`/did_reservations/${reservation}?include=available_did.did_group`);
  expect(read.meta.available_count).toBe(9);
  expect(read.included.map(({ type }) => type)).toEqual(['available_dids', 'did_groups']);
  expect((await shop.client.get('/did_reservations?filter[description]=ticket')).meta).toMatchObject({
    available_count: 9,
    total_records: 1,
  });
  expect((await other.client.get(`/available_dids/${id}`)).status).toBe(404);
  expect((await other.client.get(`/did_reservations/${reservation}`)).status).toBe(404);
  expect((await postReservation(other.client, id)).errors).toEqual([refused]);

  expect((await other.client.delete(`/did_reservations/${reservation}`)).status).toBe(404);
  expect((await shop.client.delete(`/did_reservations/${reservation}`)).status).toBe(204);
  expect((await shop.client.get(`/did_reservations/${reservation}`)).status).toBe(404);
  expect((await other.client.get(`/available_dids/${id}`)).status).toBe(200);
});

test('past its time a hold is gone without any job, and the number can be held by somebody else', async () => {
  const other = await shop.addAccount();
  const id = await shop.availableDid('london');
  const held = (await postReservation(shop.client, id)).resource;
  shop.clock.advance(599);
  expect((await postReservation(other.client, id)).status).toBe(422);
  shop.clock.advance(1);
  expect((await shop.client.get(`/did_reservations/${held.id}`)).status).toBe(404);
  expect((await shop.client.delete(`/did_reservations/${held.id}`)).status).toBe(404);
  expect((await shop.client.get('/did_reservations')).meta).toMatchObject({ available_count: 10, total_records: 0 });
  const taken = await postReservation(other.client, id);
  expect(taken.status).toBe(201);
  expect(taken.resource.id).not.toBe(held.id);
});

describe('refused', () => {
  test.each([
    ['an unknown number', () => randomUUID()],
    ['something that is no id', () => 'nonsense'],
  ])('%s', async (_what, id) => {
    expect((await postReservation(shop.client, id())).errors).toEqual([refused]);
  });

  test('an eleventh hold, also when twenty are asked for at once', async () => {
    const { client } = await shop.addAccount();
    const { rows } = await shop.env.pool.query<{ id: string }>(
      'select id from available_dids a where not exists (select from did_reservations r where r.available_did_id = a.id) limit 20',
    );
    const responses = await Promise.all(rows.map(({ id }) => postReservation(client, id)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
    const late = responses.find(({ status }) => status === 422);
    expect(late?.errors[0]).toMatchObject({ code: '100', source: { pointer: '/data' } });
    expect((await client.get('/did_reservations')).meta.available_count).toBe(0);
  });

  test('the same number for twenty accounts at once: one has it', async () => {
    await shop.stock('london', 1);
    const id = await shop.availableDid('london');
    const accounts = await Promise.all(Array.from({ length: 20 }, () => shop.addAccount()));
    const responses = await Promise.all(accounts.map(({ client }) => postReservation(client, id)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('everything while number selection is switched off, without the relationship, and any change', async () => {
    const off = await shop.addAccount({ features: { number_selection: false } });
    const id = await shop.availableDid('london');
    expect((await postReservation(off.client, id)).status).toBe(403);
    expect((await off.client.get('/did_reservations')).status).toBe(403);
    const missing = await shop.client.post('/did_reservations', { data: { type: 'did_reservations' } });
    expect(missing.errors[0]).toMatchObject({
      title: "can't be blank",
      source: { pointer: '/data/relationships/available_did' },
    });
    const held = (await postReservation(shop.client, id)).resource;
    expect((await shop.client.patch(`/did_reservations/${held.id}`, { data: {} })).status).toBe(405);
  });
});

test('an account can have another allowance and another time', async () => {
  const { client } = await shop.addAccount({ limits: { reservations: 1, reservation_seconds: 60 } });
  const held = await postReservation(client, await shop.availableDid('london'));
  expect(Date.parse(String(held.resource.attributes.expires_at)) - shop.clock.now().getTime()).toBe(60_000);
  expect((await client.get('/did_reservations')).meta.available_count).toBe(0);
});

test('a hold is answered as it was made, though the account buys the number the same moment', async () => {
  // At the commit itself: no reader outside the transaction ever finds it.
  await shop.env.pool.query(`
    create function end_hold() returns trigger language plpgsql as
      $$ begin delete from did_reservations where id = new.id; return null; end $$;
    create constraint trigger bought after insert on did_reservations deferrable initially deferred
      for each row execute function end_hold()`);
  try {
    const response = await postReservation(shop.client, await shop.availableDid('london'));
    expect(response.status).toBe(201);
    expect((await shop.client.get(`/did_reservations/${response.resource.id}`)).status).toBe(404);
  } finally {
    await shop.env.pool.query('drop trigger bought on did_reservations; drop function end_hold()');
  }
});
