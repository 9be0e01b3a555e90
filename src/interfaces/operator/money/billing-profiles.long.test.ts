/** Billing profiles: who may write them, what is checked, and the VAT rate that follows. */
import { expect, test } from 'vitest';
import { addOperator } from '../../../../test/support/operator.ts';
import { login, PanelClient } from '../../../../test/support/panel-client.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';

const seller = { lines: ['Nummern GmbH', 'Weg 1', '10115 Berlin'], country: 'DE', vatId: 'DE136695976' };
const server = useOpened(() => startTestServer({ seller, currency: 'EUR', account: { name: 'Acme', ...login } }));
const finance = useMade(() => addOperator(server, 'finance'));
const support = useMade(() => addOperator(server, 'support'));
const browser = useMade(async () => {
  const client = new PanelClient(server.url);
  await client.signIn();
  return client;
});

const company = {
  ...{ kind: 'company', name: 'Exemple SA', street: '1 rue du Test', postal_code: '75001', city: 'Paris' },
  ...{ country: 'fr', vat_id: 'FR 40 303 265 045', email: 'compta@exemple.test', purchase_order: 'PO-7' },
};
const body = (attributes: object, id = server.accountId) => ({ data: { type: 'billing_profiles', id, attributes } });
const byCustomer = (attributes: object, id = server.accountId) =>
  browser.patch(`/panel/v1/billing_profiles/${id}`, body(attributes, id));
const path = () => `/billing_profiles/${server.accountId}`;

test('a profile needs what a bill needs, and its VAT id has to be one of the country', async () => {
  expect((await byCustomer({ name: 'Half' })).errors.map(({ source }) => source?.pointer)).toEqual([
    '/data/attributes/kind',
  ]);
  for (const [wrong, pointer] of [
    [{ vat_id: 'FR40303265046' }, 'vat_id'],
    [{ country: 'ZZ' }, 'country'],
    [{ country: 'EU' }, 'country'],
    [{ email: 'nobody' }, 'email'],
    [{ kind: 'person' }, 'vat_id'],
    [{ city: ' ' }, 'city'],
    [{ name: 'a\nb' }, 'name'],
  ] as const) {
    const refused = await byCustomer({ ...company, ...wrong });
    expect([refused.status, refused.errors[0]?.source?.pointer]).toEqual([422, `/data/attributes/${pointer}`]);
  }
  expect((await finance.client.get(path())).resource.attributes).toMatchObject({ country: null, tax_confirmed: null });
});

test('the rate follows country and VAT id; what a customer changes may raise it, and lowers it only when confirmed', async () => {
  const home = { ...company, country: 'DE', vat_id: 'DE136695976' };
  expect((await byCustomer(home)).resource.attributes).toMatchObject({ vat_rate: '19.0', tax_confirmed: false });
  const moved = (await byCustomer(company)).resource.attributes;
  expect(moved).toMatchObject({ country: 'FR', vat_id: 'FR40303265045', vat_rate: '19.0', tax_confirmed: false });
  const { resources } = await finance.client.get('/billing_profiles?filter[is_tax_confirmed]=false');
  expect(resources.map(({ id }) => id)).toEqual([server.accountId]);
  const confirmed = await finance.client.patch(path(), body({ purchase_order: 'PO-8' }));
  expect(confirmed.resource.attributes).toMatchObject({ vat_rate: '0.0', tax_confirmed: true, purchase_order: 'PO-8' });
  // What tax does not depend on leaves it confirmed.
  expect((await byCustomer({ city: 'Lyon' })).resource.attributes).toMatchObject({ tax_confirmed: true });
  const person = await byCustomer({ kind: 'person', vat_id: null });
  expect(person.resource.attributes).toMatchObject({ vat_rate: '20.0', tax_confirmed: false });
  const { resources: entries } = await finance.client.get('/audit_entries?filter[action]=billing_profile.updated');
  expect(entries.map(({ attributes }) => attributes.after)).toEqual([{ purchase_order: 'changed', vat_rate: '0.000' }]);
});

test('neither another account nor the wrong role reaches it', async () => {
  const other = await server.addAccount({ name: 'Other' });
  expect((await byCustomer(company, other.accountId)).status).toBe(404);
  expect((await browser.get(`/panel/v1/billing_profiles/${other.accountId}`)).status).toBe(404);
  expect((await support.client.patch(path(), body({ city: 'Nice' }))).status).toBe(403);
  expect((await finance.client.patch(path(), body({ city: 'Nice' }))).resource.attributes.city).toBe('Nice');
});
