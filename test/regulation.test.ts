/** A registration and an emergency service on the program itself: the demo catalogue, real keys, real callbacks. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../src/interfaces/platform/identities/key-pairs.ts';
import { createBench } from './support/boot.ts';
import { encryptFile, uploadForm } from './support/encrypted-upload.ts';
import { document, link } from './support/paperwork.ts';
import { startReceiver } from './support/receiver.ts';

const { folder, start } = createBench();
const apiKey = 'a key for the whole registration';

interface Resource {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  relationships: Record<string, { data?: { type: string; id: string } | null }>;
}

test('a German number is registered from upload to approval, and then gets emergency calling', {
  timeout: 240_000,
}, async () => {
  const bootstrap = path.join(folder(), 'regulation.json');
  const account = { name: 'Acme', balance: '100.00', api_keys: [{ name: 'ci', key: apiKey }] };
  await writeFile(bootstrap, JSON.stringify({ sandbox: { catalogue: 'demo', accounts: [account] } }));
  const receiver = await startReceiver();
  const server = await start('regulation', { TRUNKLINE_PORT: 'off', TRUNKLINE_BOOTSTRAP: bootstrap });
  const url = (await server.ready()).environments.sandbox?.url ?? '';
  const call = async (
    method: string,
    at: string,
    body?: object,
  ): Promise<{ status: number; data: Resource & Resource[]; text: string }> => {
    const headers = { 'api-key': apiKey, ...(body ? { 'content-type': 'application/vnd.api+json' } : {}) };
    const answer = await fetch(`${url}/v3${at}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await answer.text();
    return { status: answer.status, data: text === '' ? [] : JSON.parse(text).data, text };
  };
  const made = async (type: string, attributes: Record<string, unknown>, links = {}, more = '') => {
    const answer = await call('POST', `/${type}${more}`, document(type, attributes, links));
    if (answer.status !== 201) throw new Error(`${type}: ${answer.text}`);
    return answer.data as Resource;
  };
  const control = (at: string, body: object) =>
    fetch(`${url}/sandbox/v1${at}`, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const first = async (at: string): Promise<Resource> => {
    const [found] = (await call('GET', at)).data;
    if (!found) throw new Error(`nothing at ${at}`);
    return found;
  };

  const germany = await first('/countries?filter[iso]=DE');
  const local = (await call('GET', '/did_group_types')).data.find(({ attributes }) => attributes.name === 'Local');
  const group = await first(
    `/did_groups?filter[country.id]=${germany.id}&filter[did_group_type.id]=${local?.id}&filter[needs_registration]=true` +
      '&filter[features]=emergency&filter[is_available]=true&filter[meta.total_count_gteq]=5&include=address_requirement,stock_keeping_units,city',
  );
  const skus = (await call('GET', `/did_groups/${group.id}/stock_keeping_units`)).data;
  await made('orders', { items: [{ type: 'did_order_items', attributes: { sku_id: skus[0]?.id, qty: 2 } }] });
  await expect.poll(async () => (await call('GET', '/dids')).data.length).toBe(2);
  const dids = (await call('GET', '/dids')).data.map(({ id }) => link('dids', id));

  const pems = (await call('GET', '/public_keys')).data.map(({ attributes }) => String(attributes.key));
  const [a = '', b = ''] = pems;
  const upload = async () => {
    const form = uploadForm(encryptFile('%PDF-1.4 scanned', { pems: [a, b] }), pems.map(fingerprintOf).join(':::'));
    const answer = await fetch(`${url}/v3/encrypted_files`, {
      method: 'POST',
      headers: { 'api-key': apiKey },
      body: form,
    });
    const { data } = (await answer.json()) as { data: { id: string } };
    return link('encrypted_files', data.id);
  };
  const identity = await made('identities', {
    identity_type: 'business',
    first_name: 'Jane',
    last_name: 'Doe',
    phone_number: '493012345',
    company_name: 'Doe GmbH',
    company_reg_number: 'HRB 1',
  });
  const cityName = String((await call('GET', `/did_groups/${group.id}/city`)).data.attributes.name);
  const place = { address: 'Hauptstr. 1', city_name: cityName, postal_code: '10115' };
  const owner = { identity: link('identities', identity.id), country: link('countries', germany.id) };
  const address = await made('addresses', place, owner);
  const requirement = group.relationships.address_requirement?.data;
  if (!requirement) throw new Error('the group has a requirement');
  const dryRun = () =>
    call(
      'POST',
      '/address_requirement_validations',
      document(
        'address_requirement_validations',
        {},
        {
          address_requirement: requirement,
          identity: link('identities', identity.id),
          address: link('addresses', address.id),
        },
      ),
    );
  expect((await dryRun()).status).toBe(422);
  const types = (await call('GET', '/proof_types')).data;
  const typed = (entity: string, name: string) => {
    const found = types.find(({ attributes }) => attributes.entity_type === entity && attributes.name === name);
    return link('proof_types', found?.id ?? '');
  };
  const extract = typed('Business', 'Excerpt from the commercial register');
  await made('proofs', {}, { proof_type: extract, entity: link('identities', identity.id), files: [await upload()] });
  const bill = typed('Address', 'Utility Bill');
  await made('proofs', {}, { proof_type: bill, entity: link('addresses', address.id), files: [await upload()] });
  expect((await dryRun()).status).toBe(201);

  const callback = { callback_url: `${receiver.url}/paper`, callback_method: 'post' };
  const verification = await made('address_verifications', callback, { address: link('addresses', address.id), dids });
  expect((await control(`/address_verifications/${verification.id}/decision`, { action: 'approve' })).status).toBe(200);
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(Object.fromEntries(new URLSearchParams(receiver.received[0]?.body))).toEqual({
    id: verification.id,
    type: 'address_verifications',
    status: 'approved',
    reject_reason: '',
    reject_comment: '',
  });
  expect(receiver.received[0]?.headers['x-service-signature']).toMatch(/^[0-9a-f]{40}$/);
  for (const { id } of dids) {
    expect((await call('GET', `/dids/${id}`)).data.attributes).toMatchObject({
      blocked: false,
      awaiting_registration: false,
    });
  }

  const emergency = await made(
    'emergency_verifications',
    {},
    { address: link('addresses', address.id), dids },
    '?include=emergency_calling_service',
  );
  const service = emergency.relationships.emergency_calling_service?.data?.id;
  expect((await control(`/emergency_verifications/${emergency.id}/decision`, { action: 'approve' })).status).toBe(200);
  const running = (await call('GET', `/emergency_calling_services/${service}`)).data;
  expect(running.attributes.status).toBe('active');
  const before = (await call('GET', '/orders?page[size]=100')).data.length;
  expect((await control('/clock', { advance_seconds: 32 * 86_400 })).status).toBe(200);
  const orders = (await call('GET', '/orders?page[size]=100')).data;
  expect(orders.length).toBeGreaterThan(before);
  expect(orders.filter(({ attributes }) => attributes.description === 'Emergency')).toHaveLength(2);
  expect((await call('DELETE', `/emergency_calling_services/${service}`)).status).toBe(204);
  await receiver.close();
});
