/** Customers with numbers in New York, where emergency calling is sold, and what they ask for. */
import { nameBasedId } from '../../src/business/catalogue/ids.ts';
import { checkedFetch } from './checked-fetch.ts';
import { document, link, made, makeIdentity } from './paperwork.ts';
import { buyNumbers } from './registered-number.ts';
import type { TestAccount, TestServer } from './server.ts';
import { idOf } from './small-catalogue.ts';

export const newYorkRequirement = link('emergency_requirements', nameBasedId('emergency_requirements', 'US', 'Local'));

interface Customer extends Pick<TestAccount, 'client' | 'key' | 'accountId'> {
  server: TestServer;
  address: string;
  identity: string;
  dids: string[];
}

export async function customer(server: TestServer, balance = '100', numbers = 2): Promise<Customer> {
  const account = await server.addAccount({ balance });
  const identity = await makeIdentity(account.client);
  const address = await makeAddress(account.client, identity);
  const dids = await buyNumbers(server, account.client, 'New York', numbers);
  return { ...account, server, identity, address, dids };
}

export const makeAddress = (
  client: TestAccount['client'],
  identity: string,
  country = link('countries', idOf('countries', 'US')),
) =>
  made(
    client,
    'addresses',
    { address: '1 Broadway', city_name: 'New York', postal_code: '10004' },
    {
      identity: link('identities', identity),
      country,
    },
  );

export const postVerification = (me: Customer, links: object, attributes: object = {}) =>
  me.client.post(
    '/emergency_verifications?include=dids,emergency_calling_service',
    document('emergency_verifications', { ...attributes }, { address: link('addresses', me.address), ...links }),
  );
export const withDids = (ids: readonly string[]) => ({ dids: ids.map((id) => link('dids', id)) });

export const postDecision = (me: { key: string; server: { url: string } }, id: string, body: object) =>
  checkedFetch(`${me.server.url}/sandbox/v1/emergency_verifications/${id}/decision`, {
    method: 'POST',
    headers: { 'api-key': me.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The ids of a submission for all of the customer's numbers, and of its service. */
export async function submitAll(me: Customer, attributes: object = {}) {
  const response = await postVerification(me, withDids(me.dids), attributes);
  if (response.status !== 201) throw new Error(response.text);
  const service = response.resource.relationships.emergency_calling_service?.data;
  if (!service || Array.isArray(service)) throw new Error('a submission has a service');
  return { verification: response.resource.id, service: service.id };
}

export async function activateService(me: Customer): Promise<string> {
  const { verification, service } = await submitAll(me);
  const decided = await postDecision(me, verification, { action: 'approve' });
  if (decided.status !== 200) throw new Error(await decided.text());
  return service;
}

export const getService = async (me: Customer, service: string) =>
  (await me.client.get(`/emergency_calling_services/${service}`)).resource;
