/** An emergency service from its submission to its end. */

import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { expectDescribed } from '../../../../test/support/described-callbacks.ts';
import {
  activateService,
  customer,
  getService,
  makeAddress,
  postDecision,
  postVerification,
  submitAll,
} from '../../../../test/support/emergency.ts';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { link } from '../../../../test/support/paperwork.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { detailsOf, getBalance } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer({ account: { balance: '100' } }));
beforeAll(() => loadPaperworkCatalogue(server));

test('the whole life: asked for, approved, charged, renewed, cancelled', async () => {
  const me = await customer(server, '10');
  const callback = { callback_url: 'https://hooks.example.net/em', callback_method: 'post' };
  const { verification, service } = await submitAll(me, callback);
  expect(await getService(me, service)).toMatchObject({
    attributes: { name: 'New York, United States', status: 'in_process', activated_at: null, renew_date: null },
    meta: { setup_price: '0.0', monthly_price: '1.5' },
  });
  const early = await me.client.delete(`/emergency_calling_services/${service}`);
  expect([early.status, detailsOf(early)[0]]).toEqual([
    422,
    'Emergency Calling Service should be in NEW, CHANGES_REQUIRED, ACTIVE or PENDING_UPDATE status',
  ]);
  expect((await me.client.delete(`/addresses/${me.address}`)).status).toBe(409);

  const today = server.clock.now().toISOString().slice(0, 10);
  expect((await postDecision(me, verification, { action: 'approve' })).status).toBe(200);
  const running = await me.client.get(
    `/emergency_calling_services/${service}?include=order,dids,emergency_verification`,
  );
  expect(running.resource.attributes).toMatchObject({
    status: 'active',
    activated_at: server.clock.now().toISOString(),
    renew_date: monthAfter(today),
  });
  const order = running.included.find(({ type }) => type === 'orders');
  expect(order?.attributes).toMatchObject({ description: 'Emergency', status: 'completed', amount: '3.0' });
  expect(order?.attributes.items).toEqual([
    {
      type: 'emergency_order_items',
      attributes: {
        qty: 2,
        nrc: '0.0',
        mrc: '1.5',
        prorated_mrc: false,
        billed_from: today,
        billed_to: monthAfter(today),
        emergency_calling_service_id: service,
      },
    },
  ]);
  expect(await getBalance(me.client)).toBe('5.40');
  const number = (await me.client.get(`/dids/${me.dids[0]}?include=identity,emergency_verification`)).resource;
  expect(number.attributes.emergency_enabled).toBe(true);
  expect(number.relationships.identity?.data).toEqual(link('identities', me.identity));
  expect((await me.client.get(`/identities/${me.identity}`)).resource.attributes.verified).toBe(true);
  const { rows } = await server.env.pool.query(
    'select kind, payload from deliveries where account_id = $1 order by kind',
    [me.accountId],
  );
  expect(rows).toEqual([
    {
      kind: 'emergency_verifications',
      payload: {
        id: verification,
        type: 'emergency_verifications',
        status: 'approved',
        reject_reasons: '',
        reject_comment: '',
        emergency_calling_service_id: service,
      },
    },
    { kind: 'orders', payload: { id: order?.id, type: 'orders', status: 'completed' } },
  ]);

  await advanceClock(server.env, (Date.parse(monthAfter(today)) - server.clock.now().getTime()) / 1000);
  expect((await getService(me, service)).attributes.renew_date).toBe(monthAfter(today, 2));
  const [renewal] = (await me.client.get('/orders?sort=-created_at')).resources;
  expect(renewal?.attributes).toMatchObject({
    description: 'Emergency',
    amount: '3.0',
    created_at: `${monthAfter(today)}T00:00:00.000Z`,
  });

  expect((await me.client.delete(`/emergency_calling_services/${service}`)).status).toBe(204);
  expect((await getService(me, service)).attributes).toMatchObject({
    status: 'canceled',
    canceled_at: server.clock.now().toISOString(),
    renew_date: null,
  });
  expect((await me.client.get(`/dids/${me.dids[0]}`)).resource.attributes.emergency_enabled).toBe(false);
  expect((await me.client.delete(`/emergency_calling_services/${service}`)).status).toBe(422);
  expect((await me.client.delete(`/identities/${me.identity}`)).status).toBe(204);
});

test('a rejection asks for changes; a new submission goes to review again; a change of address keeps the service running', async () => {
  const me = await customer(server);
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const { verification, service } = await submitAll(me, {
    callback_url: `${receiver.url}/e`,
    callback_method: 'get',
  });
  const reasons = ['No such street', 'No such house'];
  expect((await postDecision(me, verification, { action: 'reject', reasons, comment: 'Look again' })).status).toBe(200);
  expect((await getService(me, service)).attributes.status).toBe('changes_required');
  const { rows } = await server.env.pool.query('select payload from deliveries where resource_id = $1', [verification]);
  expect(rows[0].payload).toMatchObject({
    reject_reasons: 'No such street; No such house',
    reject_comment: 'Look again',
  });
  await runDueJobs(server.env);
  expectDescribed(receiver.received);
  expect(await getBalance(me.client)).toBe('98.40');

  const again = { emergency_calling_service: link('emergency_calling_services', service) };
  const second = await postVerification(me, again);
  expect([second.status, second.resource.relationships.dids?.data]).toEqual([201, []]);
  expect((await getService(me, service)).attributes.status).toBe('in_process');
  expect(detailsOf(await postVerification(me, again))).toEqual([
    'Emergency Calling Service should be in NEW, CHANGES_REQUIRED or ACTIVE status',
  ]);
  await postDecision(me, second.resource.id, { action: 'approve' });
  expect(await getBalance(me.client)).toBe('95.40');

  const moved = await postVerification({ ...me, address: await makeAddress(me.client, me.identity) }, again);
  expect((await getService(me, service)).attributes.status).toBe('pending_update');
  expect((await me.client.get(`/dids/${me.dids[0]}`)).resource.attributes.emergency_enabled).toBe(true);
  await postDecision(me, moved.resource.id, { action: 'reject', reasons: ['unreadable'] });
  expect((await getService(me, service)).attributes.status).toBe('active');
  expect((await me.client.delete(`/addresses/${me.address}`)).status).toBe(409);
  const third = await postVerification(me, again);
  await postDecision(me, third.resource.id, { action: 'approve' });
  expect((await getService(me, service)).attributes.status).toBe('active');
  expect(await getBalance(me.client)).toBe('95.40');
  const found = await me.client.get(
    `/emergency_calling_services?filter[address.id]=${me.address}&filter[status]=active&include=emergency_verification`,
  );
  expect(found.resources.map(({ id }) => id)).toEqual([service]);
  expect(found.resources[0]?.relationships.emergency_verification?.data).toEqual(
    link('emergency_verifications', third.resource.id),
  );
});

test('a list by the day of renewal leaves canceled services out, any other list does not', async () => {
  const me = await customer(server, '20', 3);
  const [one = '', two = '', three = ''] = me.dids;
  const running = await activateService({ ...me, dids: [one] });
  const waiting = (await submitAll({ ...me, dids: [two] })).service;
  const over = await activateService({ ...me, dids: [three] });
  expect((await me.client.delete(`/emergency_calling_services/${over}`)).status).toBe(204);
  const listed = async (sort: string) => {
    const { resources, meta } = await me.client.get(`/emergency_calling_services?sort=${sort}`);
    expect(meta.total_records).toBe(resources.length);
    return resources.map(({ id }) => id);
  };
  expect(await listed('renew_date')).toEqual([running, waiting]);
  expect(await listed('name,-renew_date')).toEqual([waiting, running]);
  expect(await listed('created_at')).toEqual(expect.arrayContaining([running, waiting, over]));
});

test('another account sees neither service nor submission', async () => {
  const me = await customer(server, '20', 1);
  const { service, verification } = await submitAll(me);
  const other = await server.addAccount();
  expect((await other.client.get(`/emergency_calling_services/${service}`)).status).toBe(404);
  expect((await other.client.get(`/emergency_verifications/${verification}`)).status).toBe(404);
  expect((await other.client.delete(`/emergency_calling_services/${service}`)).status).toBe(404);
});

function monthAfter(day: string, months = 1): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + months);
  return date.toISOString().slice(0, 10);
}
