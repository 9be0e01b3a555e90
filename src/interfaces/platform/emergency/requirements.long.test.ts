/** What emergency calling asks for and costs, and who is offered it. */

import { beforeAll, describe, expect, test } from 'vitest';
import {
  activateService,
  customer,
  getService,
  makeAddress,
  newYorkRequirement,
  postVerification,
  withDids,
} from '../../../../test/support/emergency.ts';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { document, link } from '../../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { detailsOf, getBalance } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { idOf } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { updateAccount } from '../../../business/accounts/accounts.ts';
import { nameBasedId } from '../../../business/catalogue/ids.ts';
import { setRate } from './rates.ts';

const server = useOpened(() => startTestServer({ account: { balance: '100' } }));
beforeAll(() => loadPaperworkCatalogue(server));

describe('requirements', () => {
  test('are shown with their price, and only while they have one', async () => {
    const shown = await server.client.get(`/emergency_requirements/${newYorkRequirement.id}?include=country`);
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
    const me = await customer(server, '20', 1);
    const shown = () => me.client.get(`/emergency_requirements/${newYorkRequirement.id}`);
    await setRate(server.env, me.accountId, newYorkRequirement.id, '0.5');
    expect((await shown()).resource.meta).toEqual({ setup_price: '0.0', monthly_price: '0.5' });
    expect(
      (await server.client.get(`/emergency_requirements/${newYorkRequirement.id}`)).resource.meta?.monthly_price,
    ).toBe('1.5');
    const service = await activateService(me);
    expect((await getService(me, service)).meta?.monthly_price).toBe('0.5');
    expect(await getBalance(me.client)).toBe('18.70');

    await setRate(server.env, me.accountId, newYorkRequirement.id, null);
    const [fresh = ''] = await buyNumbers(server, me.client, 'New York', 1);
    expect(detailsOf(await postVerification(me, withDids([fresh])))).toEqual(['Emergency Rate not found']);
    expect((await shown()).status).toBe(404);
    const { resources } = await me.client.get('/emergency_requirements?page[size]=100');
    expect(resources.map(({ id }) => id)).not.toContain(newYorkRequirement.id);
    const through = await me.client.get(`/emergency_calling_services/${service}?include=emergency_requirement`);
    expect(through.resource.relationships.emergency_requirement?.data).toEqual(newYorkRequirement);
    expect(through.included[0]).toMatchObject({
      ...newYorkRequirement,
      meta: { setup_price: null, monthly_price: null },
    });
    const stranger = await server.addAccount();
    await setRate(server.env, stranger.accountId, newYorkRequirement.id, null);
    expect((await stranger.client.get(`/emergency_requirements/${newYorkRequirement.id}`)).status).toBe(404);
    await setRate(server.env, stranger.accountId, newYorkRequirement.id, 'usual');
    expect((await stranger.client.get(`/emergency_requirements/${newYorkRequirement.id}`)).status).toBe(200);
  });

  test('their dry run judges fields and places', async () => {
    const me = await customer(server, '10', 1);
    const validate = (address: string) =>
      me.client.post(
        '/emergency_requirement_validations',
        document(
          'emergency_requirement_validations',
          {},
          {
            emergency_requirement: newYorkRequirement,
            address: link('addresses', address),
            identity: link('identities', me.identity),
          },
        ),
      );
    const good = await validate(me.address);
    expect([good.status, good.resource]).toMatchObject([
      201,
      { ...newYorkRequirement, type: 'emergency_requirement_validations' },
    ]);
    const away = await makeAddress(me.client, me.identity, link('countries', idOf('countries', 'GB')));
    expect(detailsOf(await validate(away))).toEqual(['Address in United States required']);
  });

  test('link URLs are shown but not routed', async () => {
    const { resource } = await server.client.get(`/emergency_requirements/${newYorkRequirement.id}`);
    expect((await server.client.get(String(resource.relationships.country?.links.related))).status).toBe(404);
  });
});

test('an account without emergency calling is refused everything', async () => {
  const me = await server.addAccount();
  await updateAccount(server.env, me.accountId, { features: { emergency: false } });
  await runDueJobs(server.env);
  for (const path of ['/emergency_requirements', '/emergency_calling_services', '/emergency_verifications']) {
    await expect.poll(async () => (await me.client.get(path)).status).toBe(403);
  }
  const body = document('emergency_requirement_validations', {}, { emergency_requirement: newYorkRequirement });
  expect((await me.client.post('/emergency_requirement_validations', body)).status).toBe(403);
});
