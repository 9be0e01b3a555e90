import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { runDueJobs } from '../../../test/support/environment.ts';
import { document, link, made, makeIdentity, makePaperwork } from '../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../test/support/registered-number.ts';
import { startTestServer, type TestAccount, type TestServer } from '../../../test/support/server.ts';
import { idOf } from '../../../test/support/small-catalogue.ts';
import { updateAccount } from '../../accounts/accounts.ts';
import { nameBasedId } from '../../catalogue/name-based-id.ts';
import { advanceClock } from '../../sandbox/advance.ts';
import { decideAddressVerification } from '../regulation/review/decide-address-verification.ts';
import { setRate } from './rates.ts';

const DAY = 86_400;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ account: { balance: '100' } });
  await loadPaperworkCatalogue(server);
});
afterAll(() => server.close());

const REQUIREMENT = link('emergency_requirements', nameBasedId('emergency_requirements', 'US', 'Local'));
const america = link('countries', idOf('countries', 'US'));
const details = (answer: { errors: { detail: string }[] }) => answer.errors.map(({ detail }) => detail);

const makeAddress = (client: TestAccount['client'], identity: string, country = america) =>
  made(
    client,
    'addresses',
    { address: '1 Broadway', city_name: 'New York', postal_code: '10004' },
    {
      identity: link('identities', identity),
      country,
    },
  );

interface Customer extends Pick<TestAccount, 'client' | 'key' | 'accountId'> {
  address: string;
  identity: string;
  dids: string[];
}

async function customer(balance = '100', numbers = 2): Promise<Customer> {
  const account = await server.addAccount({ balance });
  const identity = await makeIdentity(account.client);
  const address = await makeAddress(account.client, identity);
  const dids = await buyNumbers(server, account.client, 'New York', numbers);
  return { ...account, identity, address, dids };
}

const submit = (me: Customer, links: object, attributes: object = {}) =>
  me.client.post(
    '/emergency_verifications?include=dids,emergency_calling_service',
    document('emergency_verifications', { ...attributes }, { address: link('addresses', me.address), ...links }),
  );
const withDids = (ids: readonly string[]) => ({ dids: ids.map((id) => link('dids', id)) });

const decide = (me: Customer, id: string, body: object) =>
  checkedFetch(`${server.url}/sandbox/v1/emergency_verifications/${id}/decision`, {
    method: 'POST',
    headers: { 'api-key': me.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The ids of a submission for all of the customer's numbers, and of its service. */
async function asked(me: Customer, attributes: object = {}) {
  const answer = await submit(me, withDids(me.dids), attributes);
  if (answer.status !== 201) throw new Error(answer.text);
  const service = answer.resource.relationships.emergency_calling_service?.data;
  if (!service || Array.isArray(service)) throw new Error('a submission has a service');
  return { verification: answer.resource.id, service: service.id };
}

async function active(me: Customer): Promise<string> {
  const { verification, service } = await asked(me);
  expect((await decide(me, verification, { action: 'approve' })).status).toBe(200);
  return service;
}

const read = async (me: Customer, service: string) =>
  (await me.client.get(`/emergency_calling_services/${service}`)).resource;
const balance = async (me: Customer) => (await me.client.get('/balance')).resource.attributes.balance;

describe('requirements', () => {
  test('are shown with their price, and only while they have one', async () => {
    const shown = await server.client.get(`/emergency_requirements/${REQUIREMENT.id}?include=country`);
    expect(shown.resource.meta).toEqual({ setup_price: '0.0', monthly_price: '1.5' });
    expect(shown.resource.attributes).toMatchObject({ identity_type: 'any', address_area_level: 'country' });
    const { db } = server.env;
    const german = nameBasedId('emergency_requirements', 'DE', 'Local');
    const price = (value: string | null) =>
      db
        .updateTable('emergency_requirements')
        .set({ setup_price: value, monthly_price: value })
        .where('id', '=', german)
        .execute();
    await price(null);
    expect((await server.client.get(`/emergency_requirements/${german}`)).status).toBe(404);
    expect((await server.client.get(`/emergency_requirements?filter[id]=${german}`)).resources).toEqual([]);
    await price('0');
  });

  test('an account can have a price of its own, or none', async () => {
    const me = await customer('20', 1);
    const shown = () => me.client.get(`/emergency_requirements/${REQUIREMENT.id}`);
    await setRate(server.env, me.accountId, REQUIREMENT.id, '0.5');
    expect((await shown()).resource.meta).toEqual({ setup_price: '0.0', monthly_price: '0.5' });
    expect((await server.client.get(`/emergency_requirements/${REQUIREMENT.id}`)).resource.meta?.monthly_price).toBe(
      '1.5',
    );
    const service = await active(me);
    expect((await read(me, service)).meta?.monthly_price).toBe('0.5');
    expect(await balance(me)).toBe('18.70');

    await setRate(server.env, me.accountId, REQUIREMENT.id, null);
    const [fresh = ''] = await buyNumbers(server, me.client, 'New York', 1);
    expect(details(await submit(me, withDids([fresh])))).toEqual(['Emergency Rate not found']);
    expect((await shown()).status).toBe(404);
    const { resources } = await me.client.get('/emergency_requirements?page[size]=100');
    expect(resources.map(({ id }) => id)).not.toContain(REQUIREMENT.id);
    const through = await me.client.get(`/emergency_calling_services/${service}?include=emergency_requirement`);
    expect(through.resource.relationships.emergency_requirement?.data).toEqual(REQUIREMENT);
    expect(through.included[0]).toMatchObject({ ...REQUIREMENT, meta: { setup_price: null, monthly_price: null } });
    const stranger = await server.addAccount();
    await setRate(server.env, stranger.accountId, REQUIREMENT.id, null);
    expect((await stranger.client.get(`/emergency_requirements/${REQUIREMENT.id}`)).status).toBe(404);
    await setRate(server.env, stranger.accountId, REQUIREMENT.id, 'usual');
    expect((await stranger.client.get(`/emergency_requirements/${REQUIREMENT.id}`)).status).toBe(200);
  });

  test('their dry run judges fields and places', async () => {
    const me = await customer('10', 1);
    const validate = (address: string) =>
      me.client.post(
        '/emergency_requirement_validations',
        document(
          'emergency_requirement_validations',
          {},
          {
            emergency_requirement: REQUIREMENT,
            address: link('addresses', address),
            identity: link('identities', me.identity),
          },
        ),
      );
    const good = await validate(me.address);
    expect([good.status, good.resource]).toMatchObject([
      201,
      { ...REQUIREMENT, type: 'emergency_requirement_validations' },
    ]);
    const away = await makeAddress(me.client, me.identity, link('countries', idOf('countries', 'GB')));
    expect(details(await validate(away))).toEqual(['Address in United States required']);
  });

  test('link URLs are shown but not routed', async () => {
    const { resource } = await server.client.get(`/emergency_requirements/${REQUIREMENT.id}`);
    expect((await server.client.get(String(resource.relationships.country?.links.related))).status).toBe(404);
  });
});

test('the whole life: asked for, approved, charged, renewed, cancelled', async () => {
  const me = await customer('10');
  const callback = { callback_url: 'https://hooks.example.net/em', callback_method: 'post' };
  const { verification, service } = await asked(me, callback);
  expect(await read(me, service)).toMatchObject({
    attributes: { name: 'New York, United States', status: 'in_process', activated_at: null, renew_date: null },
    meta: { setup_price: '0.0', monthly_price: '1.5' },
  });
  const early = await me.client.delete(`/emergency_calling_services/${service}`);
  expect([early.status, details(early)[0]]).toEqual([
    422,
    'Emergency Calling Service should be in NEW, CHANGES_REQUIRED, ACTIVE or PENDING_UPDATE status',
  ]);
  expect((await me.client.delete(`/addresses/${me.address}`)).status).toBe(409);

  const today = server.clock.now().toISOString().slice(0, 10);
  expect((await decide(me, verification, { action: 'approve' })).status).toBe(200);
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
  expect(await balance(me)).toBe('5.40');
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
  expect((await read(me, service)).attributes.renew_date).toBe(monthAfter(today, 2));
  const [renewal] = (await me.client.get('/orders?sort=-created_at')).resources;
  expect(renewal?.attributes).toMatchObject({
    description: 'Emergency',
    amount: '3.0',
    created_at: `${monthAfter(today)}T00:00:00.000Z`,
  });

  expect((await me.client.delete(`/emergency_calling_services/${service}`)).status).toBe(204);
  expect((await read(me, service)).attributes).toMatchObject({
    status: 'canceled',
    canceled_at: server.clock.now().toISOString(),
    renew_date: null,
  });
  expect((await me.client.get(`/dids/${me.dids[0]}`)).resource.attributes.emergency_enabled).toBe(false);
  expect((await me.client.delete(`/emergency_calling_services/${service}`)).status).toBe(422);
  expect((await me.client.delete(`/identities/${me.identity}`)).status).toBe(204);
});

test('a rejection asks for changes; a new submission goes to review again; a change of address keeps the service running', async () => {
  const me = await customer();
  const { verification, service } = await asked(me, { callback_url: 'https://h.example/e', callback_method: 'get' });
  const reasons = ['No such street', 'No such house'];
  expect((await decide(me, verification, { action: 'reject', reasons, comment: 'Look again' })).status).toBe(200);
  expect((await read(me, service)).attributes.status).toBe('changes_required');
  const { rows } = await server.env.pool.query('select payload from deliveries where resource_id = $1', [verification]);
  expect(rows[0].payload).toMatchObject({
    reject_reasons: 'No such street; No such house',
    reject_comment: 'Look again',
  });
  expect(await balance(me)).toBe('98.40');

  const again = { emergency_calling_service: link('emergency_calling_services', service) };
  const second = await submit(me, again);
  expect([second.status, second.resource.relationships.dids?.data]).toEqual([201, []]);
  expect((await read(me, service)).attributes.status).toBe('in_process');
  expect(details(await submit(me, again))).toEqual([
    'Emergency Calling Service should be in NEW, CHANGES_REQUIRED or ACTIVE status',
  ]);
  await decide(me, second.resource.id, { action: 'approve' });
  expect(await balance(me)).toBe('95.40');

  const moved = await submit({ ...me, address: await makeAddress(me.client, me.identity) }, again);
  expect((await read(me, service)).attributes.status).toBe('pending_update');
  expect((await me.client.get(`/dids/${me.dids[0]}`)).resource.attributes.emergency_enabled).toBe(true);
  await decide(me, moved.resource.id, { action: 'reject', reasons: ['unreadable'] });
  expect((await read(me, service)).attributes.status).toBe('active');
  expect((await me.client.delete(`/addresses/${me.address}`)).status).toBe(409);
  const third = await submit(me, again);
  await decide(me, third.resource.id, { action: 'approve' });
  expect((await read(me, service)).attributes.status).toBe('active');
  expect(await balance(me)).toBe('95.40');
  const found = await me.client.get(
    `/emergency_calling_services?filter[address.id]=${me.address}&filter[status]=active&include=emergency_verification`,
  );
  expect(found.resources.map(({ id }) => id)).toEqual([service]);
  expect(found.resources[0]?.relationships.emergency_verification?.data).toEqual(
    link('emergency_verifications', third.resource.id),
  );
});

test('a list by the day of renewal leaves canceled services out, any other list does not', async () => {
  const me = await customer('20', 3);
  const [one = '', two = '', three = ''] = me.dids;
  const running = await active({ ...me, dids: [one] });
  const waiting = (await asked({ ...me, dids: [two] })).service;
  const over = await active({ ...me, dids: [three] });
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

test('numbers have to fit together, and to the identity', async () => {
  const me = await customer();
  const [london = ''] = await buyNumbers(server, me.client, 'London', 1);
  const unfit = await submit(me, withDids([london]));
  expect(unfit.errors[0]).toMatchObject({
    detail: `dids/${london} - does not support Emergency feature`,
    source: { pointer: `/data/relationships/dids/${london}` },
  });
  expect(details(await submit(me, {}))).toEqual(["dids - can't be blank"]);
  expect(details(await submit(me, withDids([])))).toEqual(["dids - can't be blank"]);
  const service = await active(me);
  const both = { ...withDids(me.dids), emergency_calling_service: link('emergency_calling_services', service) };
  expect(details(await submit(me, both))).toEqual(['emergency_calling_service - must be blank']);
  const [first = ''] = me.dids;
  expect(details(await submit(me, withDids([first])))).toEqual([
    `dids/${first} - already belongs to an Emergency Calling Service`,
  ]);

  const someone = await makeIdentity(me.client, { first_name: 'John' });
  const other = { ...me, address: await makeAddress(me.client, someone) };
  const wrong = await submit(other, { emergency_calling_service: link('emergency_calling_services', service) });
  expect(details(wrong)).toEqual(
    me.dids.toSorted().map((id) => `dids/${id} - can be used only with Identity Personal - Jane Doe`),
  );

  const { db } = server.env;
  const group = (change: object) =>
    db.updateTable('did_groups').set(change).where('id', '=', idOf('did_groups', 'London')).execute();
  const [fresh = ''] = await buyNumbers(server, me.client, 'New York', 1);
  await group({ features: ['voice_in', 'emergency'] });
  expect(details(await submit(me, withDids([fresh, london])))).toEqual(['dids - should have the same City or Area']);
  await group({ city_id: null });
  expect(details(await submit(me, withDids([london])))).toEqual(['dids - should be linked with City ID']);
  await group({ did_group_type_id: idOf('did_group_types', 'Mobile') });
  expect(details(await submit(me, withDids([fresh, london])))).toEqual(['dids - should have the same Did Group Type']);
  await group({
    did_group_type_id: idOf('did_group_types', 'Local'),
    city_id: idOf('cities', 'London'),
    features: ['voice_in'],
  });
  const rate = (monthly_price: string | null) =>
    db
      .updateTable('emergency_requirements')
      .set({ monthly_price, setup_price: monthly_price && '0' })
      .where('id', '=', REQUIREMENT.id)
      .execute();
  await rate(null);
  const unsold = await submit(me, withDids([fresh]));
  expect(unsold.errors[0]).toMatchObject({ detail: 'Emergency Rate not found', source: { pointer: '/data' } });
  await rate('1.5');
});

test('a number whose registration was rejected is nobody’s once its service is over', async () => {
  const me = await server.addAccount({ balance: '50' });
  const paperwork = await makePaperwork(server, me);
  const german = { ...me, ...paperwork, dids: await buyNumbers(server, me.client, 'Berlin', 1) };
  const features = (words: string[]) =>
    server.env.db
      .updateTable('did_groups')
      .set({ features: words })
      .where('id', '=', idOf('did_groups', 'Berlin'))
      .execute();
  await features(['voice_in', 'emergency']);
  const service = await active(german);
  await features(['voice_in', 'sms_in', 'p2p']);
  const links = { address: link('addresses', german.address), ...withDids(german.dids) };
  const registration = await made(me.client, 'address_verifications', {}, links);
  await decideAddressVerification(server.env, {
    id: registration,
    actor: 'rita',
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
    const me = await customer('20');
    const service = await active(me);
    const detach = (id = '') =>
      me.client.patch(`/dids/${id}`, {
        data: { type: 'dids', id, relationships: { emergency_calling_service: { data: null } } },
      });
    expect((await detach(me.dids[0])).resource.attributes.emergency_enabled).toBe(false);
    const renewal = String((await read(me, service)).attributes.renew_date);
    await advanceClock(server.env, (Date.parse(renewal) - server.clock.now().getTime()) / 1000);
    const charged = (await me.client.get('/orders?sort=-created_at')).resources.find(
      ({ attributes }) => attributes.description === 'Emergency',
    );
    expect(charged?.attributes.amount).toBe('1.5');
    await detach(me.dids[1]);
    expect((await read(me, service)).attributes.status).toBe('active');
    await advanceClock(server.env, 3600);
    expect((await read(me, service)).attributes.status).toBe('canceled');
  });
});

test('numbers that were cancelled are not charged for, and do not keep a service alive', async () => {
  const me = await customer('50');
  const service = await active(me);
  const terminate = (id = '') =>
    me.client.patch(`/dids/${id}`, { data: { type: 'dids', id, attributes: { terminated: true } } });
  const untilRenewal = async () =>
    (Date.parse(String((await read(me, service)).attributes.renew_date)) - server.clock.now().getTime()) / 1000;
  await terminate(me.dids[0]);
  await advanceClock(server.env, await untilRenewal());
  const [charged] = (await me.client.get('/orders?sort=-created_at')).resources.filter(
    ({ attributes }) => attributes.description === 'Emergency',
  );
  expect(charged?.attributes.amount).toBe('1.5');
  await terminate(me.dids[1]);
  await advanceClock(server.env, await untilRenewal());
  expect((await read(me, service)).attributes.status).toBe('canceled');
});

describe('money', () => {
  test('without enough of it an approval changes nothing', async () => {
    const me = await customer('2.00');
    const { verification, service } = await asked(me);
    const refused = await decide(me, verification, { action: 'approve' });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { error: 'The balance does not cover the first month of the service.' },
    ]);
    expect((await read(me, service)).attributes.status).toBe('in_process');
    expect((await me.client.get(`/emergency_verifications/${verification}`)).resource.attributes.status).toBe(
      'pending',
    );
    expect((await me.client.get('/orders')).resources.map(({ attributes }) => attributes.description)).toEqual(['DID']);
  });

  test('a renewal that cannot be paid is tried for a week, then the service ends', async () => {
    const me = await customer('5.00');
    const service = await active(me);
    // The numbers themselves are paid for long.
    await server.env.db.updateTable('dids').set({ due_at: null }).where('account_id', '=', me.accountId).execute();
    const renewal = Date.parse(String((await read(me, service)).attributes.renew_date));
    await advanceClock(server.env, (renewal - server.clock.now().getTime()) / 1000 + 6 * DAY);
    expect((await read(me, service)).attributes).toMatchObject({ status: 'active' });
    await advanceClock(server.env, DAY);
    expect((await read(me, service)).attributes.status).toBe('canceled');
  });
});

test('an account without emergency calling is refused everything', async () => {
  const me = await server.addAccount();
  await updateAccount(server.env, me.accountId, { features: { emergency: false } });
  await runDueJobs(server.env);
  for (const path of ['/emergency_requirements', '/emergency_calling_services', '/emergency_verifications']) {
    await expect.poll(async () => (await me.client.get(path)).status).toBe(403);
  }
  const body = document('emergency_requirement_validations', {}, { emergency_requirement: REQUIREMENT });
  expect((await me.client.post('/emergency_requirement_validations', body)).status).toBe(403);
});

test('another account sees neither service nor submission', async () => {
  const me = await customer('20', 1);
  const { service, verification } = await asked(me);
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
