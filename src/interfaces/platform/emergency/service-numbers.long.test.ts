/** The numbers of an emergency service, and the money for them. */

import { beforeAll, describe, expect, test } from 'vitest';
import {
  activateService,
  customer,
  getService,
  makeAddress,
  newYorkRequirement,
  postDecision,
  postVerification,
  submitAll,
  withDids,
} from '../../../../test/support/emergency.ts';
import { advanceClock } from '../../../../test/support/environment.ts';
import { link, made, makeIdentity, makePaperwork } from '../../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { detailsOf } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { idOf } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { decideAddressVerification } from '../regulation/decision.ts';

const server = useOpened(() => startTestServer({ account: { balance: '100' } }));
beforeAll(() => loadPaperworkCatalogue(server));

const daySeconds = 86_400;

test('numbers have to fit together, and to the identity', async () => {
  const me = await customer(server);
  const [london = ''] = await buyNumbers(server, me.client, 'London', 1);
  const unfit = await postVerification(me, withDids([london]));
  expect(unfit.errors[0]).toMatchObject({
    detail: `dids/${london} - does not support Emergency feature`,
    source: { pointer: `/data/relationships/dids/${london}` },
  });
  expect(detailsOf(await postVerification(me, {}))).toEqual(["dids - can't be blank"]);
  expect(detailsOf(await postVerification(me, withDids([])))).toEqual(["dids - can't be blank"]);
  const service = await activateService(me);
  const both = { ...withDids(me.dids), emergency_calling_service: link('emergency_calling_services', service) };
  expect(detailsOf(await postVerification(me, both))).toEqual(['emergency_calling_service - must be blank']);
  const [first = ''] = me.dids;
  expect(detailsOf(await postVerification(me, withDids([first])))).toEqual([
    `dids/${first} - already belongs to an Emergency Calling Service`,
  ]);

  const someone = await makeIdentity(me.client, { first_name: 'John' });
  const other = { ...me, address: await makeAddress(me.client, someone) };
  const wrong = await postVerification(other, {
    emergency_calling_service: link('emergency_calling_services', service),
  });
  expect(detailsOf(wrong)).toEqual(
    me.dids.toSorted().map((id) => `dids/${id} - can be used only with Identity Personal - Jane Doe`),
  );

  const { db } = server.env;
  const group = (change: object) =>
    db.updateTable('did_groups').set(change).where('id', '=', idOf('did_groups', 'London')).execute();
  const [fresh = ''] = await buyNumbers(server, me.client, 'New York', 1);
  await group({ features: ['voice_in', 'emergency'] });
  expect(detailsOf(await postVerification(me, withDids([fresh, london])))).toEqual([
    'dids - should have the same City or Area',
  ]);
  await group({ city_id: null });
  expect(detailsOf(await postVerification(me, withDids([london])))).toEqual(['dids - should be linked with City ID']);
  await group({ did_group_type_id: idOf('did_group_types', 'Mobile') });
  expect(detailsOf(await postVerification(me, withDids([fresh, london])))).toEqual([
    'dids - should have the same Did Group Type',
  ]);
  await group({
    did_group_type_id: idOf('did_group_types', 'Local'),
    city_id: idOf('cities', 'London'),
    features: ['voice_in'],
  });
  const rate = (monthly_price: string | null) =>
    db
      .updateTable('emergency_requirements')
      .set({ monthly_price, setup_price: monthly_price && '0' })
      .where('id', '=', newYorkRequirement.id)
      .execute();
  await rate(null);
  const unsold = await postVerification(me, withDids([fresh]));
  expect(unsold.errors[0]).toMatchObject({ detail: 'Emergency Rate not found', source: { pointer: '/data' } });
  await rate('1.5');
});

test('a number whose registration was rejected is nobody’s once its service is over', async () => {
  const me = await server.addAccount({ balance: '50' });
  const paperwork = await makePaperwork(server, me);
  const german = { ...me, ...paperwork, server, dids: await buyNumbers(server, me.client, 'Berlin', 1) };
  const features = (words: string[]) =>
    server.env.db
      .updateTable('did_groups')
      .set({ features: words })
      .where('id', '=', idOf('did_groups', 'Berlin'))
      .execute();
  await features(['voice_in', 'emergency']);
  const service = await activateService(german);
  await features(['voice_in', 'sms_in', 'p2p']);
  const links = { address: link('addresses', german.address), ...withDids(german.dids) };
  const registration = await made(me.client, 'address_verifications', {}, links);
  await decideAddressVerification(server.env, {
    id: registration,
    by: { kind: 'named', id: 'rita' },
    decision: { action: 'reject', reasons: ['unreadable'], comment: null },
  });
  const verified = async () => (await me.client.get(`/identities/${german.identity}`)).resource.attributes.verified;
  expect(await verified()).toBe(true);
  expect((await me.client.delete(`/emergency_calling_services/${service}`)).status).toBe(204);
  expect(await verified()).toBe(false);
  expect((await me.client.delete(`/identities/${german.identity}`)).status).toBe(204);
});

describe('numbers leave', () => {
  test('and the next month costs less; without any the service is cancelled within hours', async () => {
    const me = await customer(server, '20');
    const service = await activateService(me);
    const detach = (id = '') =>
      me.client.patch(`/dids/${id}`, {
        data: { type: 'dids', id, relationships: { emergency_calling_service: { data: null } } },
      });
    expect((await detach(me.dids[0])).resource.attributes.emergency_enabled).toBe(false);
    const renewal = String((await getService(me, service)).attributes.renew_date);
    await advanceClock(server.env, (Date.parse(renewal) - server.clock.now().getTime()) / 1000);
    const charged = (await me.client.get('/orders?sort=-created_at')).resources.find(
      ({ attributes }) => attributes.description === 'Emergency',
    );
    expect(charged?.attributes.amount).toBe('1.5');
    await detach(me.dids[1]);
    expect((await getService(me, service)).attributes.status).toBe('active');
    await advanceClock(server.env, 3600);
    expect((await getService(me, service)).attributes.status).toBe('canceled');
  });
});

test('numbers that were cancelled are not charged for, and do not keep a service alive', async () => {
  const me = await customer(server, '50');
  const service = await activateService(me);
  const terminate = (id = '') =>
    me.client.patch(`/dids/${id}`, { data: { type: 'dids', id, attributes: { terminated: true } } });
  const untilRenewal = async () =>
    (Date.parse(String((await getService(me, service)).attributes.renew_date)) - server.clock.now().getTime()) / 1000;
  await terminate(me.dids[0]);
  await advanceClock(server.env, await untilRenewal());
  const [charged] = (await me.client.get('/orders?sort=-created_at')).resources.filter(
    ({ attributes }) => attributes.description === 'Emergency',
  );
  expect(charged?.attributes.amount).toBe('1.5');
  await terminate(me.dids[1]);
  await advanceClock(server.env, await untilRenewal());
  expect((await getService(me, service)).attributes.status).toBe('canceled');
});

describe('money', () => {
  test('without enough of it an approval changes nothing', async () => {
    const me = await customer(server, '2.00');
    const { verification, service } = await submitAll(me);
    const refused = await postDecision(me, verification, { action: 'approve' });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { error: 'The balance does not cover the first month of the service.' },
    ]);
    expect((await getService(me, service)).attributes.status).toBe('in_process');
    expect((await me.client.get(`/emergency_verifications/${verification}`)).resource.attributes.status).toBe(
      'pending',
    );
    expect((await me.client.get('/orders')).resources.map(({ attributes }) => attributes.description)).toEqual(['DID']);
  });

  test('a renewal that cannot be paid is tried for a week, then the service ends', async () => {
    const me = await customer(server, '5.00');
    const service = await activateService(me);
    // The numbers themselves are paid for long.
    await server.env.db.updateTable('dids').set({ due_at: null }).where('account_id', '=', me.accountId).execute();
    const renewal = Date.parse(String((await getService(me, service)).attributes.renew_date));
    await advanceClock(server.env, (renewal - server.clock.now().getTime()) / 1000 + 6 * daySeconds);
    expect((await getService(me, service)).attributes).toMatchObject({ status: 'active' });
    await advanceClock(server.env, daySeconds);
    expect((await getService(me, service)).attributes.status).toBe('canceled');
  });
});
