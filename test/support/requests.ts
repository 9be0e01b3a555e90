/** Requests that many tests send, each named after its method and what it is about. */
import { randomUUID } from 'node:crypto';
import { checkedFetch } from './checked-fetch.ts';
import { type ApiClient, jsonApiType } from './client.ts';

export const didItem = (attributes: object) => ({ type: 'did_order_items', attributes });
export const capacityItem = (attributes: object) => ({ type: 'capacity_order_items', attributes });

export const orderDocument = (items: object[], more: object = {}) => ({
  data: { type: 'orders', attributes: { items, ...more } },
});

export const postOrder = (
  client: ApiClient,
  items: object[],
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
) => client.post('/orders', orderDocument(items, more), { headers });

/** The headers of a request to `/v3` that is sent without the client. */
export const headersWith = (key: string) => ({ 'api-key': key, accept: jsonApiType, 'content-type': jsonApiType });

/** For tests of processes: the response may be anything, or never come. */
export const postOrderTo = (url: string, key: string, items: object[], more: object = {}, signal?: AbortSignal) =>
  checkedFetch(`${url}/v3/orders`, {
    method: 'POST',
    headers: headersWith(key),
    body: JSON.stringify(orderDocument(items, more)),
    ...(signal ? { signal } : {}),
  });

export const reservationDocument = (availableDidId: string, attributes?: object) => ({
  data: {
    type: 'did_reservations',
    ...(attributes ? { attributes } : {}),
    relationships: { available_did: { data: { type: 'available_dids', id: availableDidId } } },
  },
});

export const postReservation = (client: ApiClient, availableDidId: string, attributes?: object) =>
  client.post('/did_reservations', reservationDocument(availableDidId, attributes));

export const getDid = async (client: ApiClient, id: string) => (await client.get(`/dids/${id}`)).resource.attributes;

export const patchDid = (client: ApiClient, id: string, attributes: object, relationships: object = {}) =>
  client.patch(`/dids/${id}`, { data: { id, type: 'dids', attributes, relationships } });

/** The numbers of the account, or those that an order brought. */
export async function getNumbers(client: ApiClient, orderId?: string): Promise<unknown[]> {
  const { resources } = await client.get(orderId === undefined ? '/dids' : `/dids?filter[order.id]=${orderId}`);
  return resources.map(({ attributes }) => attributes.number);
}

/** What happened to the account's numbers, newest first: `renewed system`. */
export const getHistory = async (client: ApiClient): Promise<string[]> =>
  (await client.get('/did_history')).resources.map(({ attributes: { action, method } }) => `${action} ${method}`);

export const getBalance = async (client: ApiClient): Promise<string> =>
  String((await client.get('/balance')).resource.attributes.balance);

export const getOrder = async (client: ApiClient, id: string) =>
  (await client.get(`/orders/${id}`)).resource.attributes;

export const postSharedGroup = (client: ApiClient, poolId: string, attributes: object, dids?: readonly string[]) =>
  client.post('/shared_capacity_groups?include=dids', {
    data: {
      type: 'shared_capacity_groups',
      attributes,
      relationships: {
        capacity_pool: { data: { type: 'capacity_pools', id: poolId } },
        ...(dids ? { dids: { data: dids.map((id) => ({ type: 'dids', id })) } } : {}),
      },
    },
  });

export const credentials = (attributes: object = {}) => ({
  type: 'credentials_and_ip',
  attributes: { allowed_sip_ips: ['203.0.113.10'], ...attributes },
});

/** With what the interface requires, unless `attributes` say otherwise. */
export const postOutboundTrunk = (client: ApiClient, attributes: object = {}, relationships: object = {}) =>
  client.post('/voice_out_trunks', {
    data: {
      type: 'voice_out_trunks',
      attributes: {
        name: randomUUID(),
        on_cli_mismatch_action: 'reject_call',
        authentication_method: credentials(),
        ...attributes,
      },
      relationships,
    },
  });

export const patchOutboundTrunk = (client: ApiClient, id: string, attributes: object, relationships: object = {}) =>
  client.patch(`/voice_out_trunks/${id}?include=dids,emergency_dids,default_did`, {
    data: { id, type: 'voice_out_trunks', attributes, relationships },
  });

/** The texts of a response's errors. */
export const detailsOf = (response: { errors: { detail: string }[] }) => response.errors.map(({ detail }) => detail);
