/**
 * Gives the sandbox's demo account one record of each kind, so that every request of the API reference finds something to
 * work on. They are made by requests like a customer's, once, after the first start.
 */
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../environment.ts';

export async function addDemoRecords(app: FastifyInstance, env: Environment, apiKey: string): Promise<void> {
  const api = client(app, apiKey);
  const country = await api.first('/countries?filter[iso]=GB');
  const group = await api.first(
    `/did_groups?filter[country.id]=${country}&filter[needs_registration]=false&filter[allow_additional_channels]=true&filter[meta.total_count_gteq]=50`,
  );
  const sku = await api.first(`/did_groups/${group}/stock_keeping_units`);
  const number = await api.first(`/available_dids?filter[did_group.id]=${group}&page[size]=10&page[number]=2`);
  const order = (type: string, attributes: object) => api.create('orders', { items: [{ type, attributes }] });
  await api.create('did_reservations', {}, { available_did: { type: 'available_dids', id: number } });
  await order('did_order_items', { sku_id: sku, qty: 1 });
  const pool = await api.first(`/capacity_pools?filter[country.id]=${country}&page[size]=1`);
  await order('capacity_order_items', { capacity_pool_id: pool, qty: 5 });
  await api.create(
    'shared_capacity_groups',
    { name: 'Demo', shared_channels_count: 1 },
    { capacity_pool: { type: 'capacity_pools', id: pool } },
  );
  await order('did_order_items', { sku_id: await soldOutSku(api), qty: 1 });
  await addTrunks(api);
  const today = env.clock.now().toISOString().slice(0, 10);
  const filters = { from: `${today} 00:00:00`, to: `${today} 00:00:01` };
  await api.create('exports', { export_type: 'cdr_in', filters });
  await addPerson(api, country);
}

type Client = ReturnType<typeof client>;

/** An order from here waits for numbers, so that it can be cancelled. */
async function soldOutSku(api: Client): Promise<string> {
  const country = await api.first('/countries?filter[iso]=US');
  const group = await api.first(`/did_groups?filter[country.id]=${country}&filter[area_name]=Berlin&page[size]=1`);
  return api.first(`/did_groups/${group}/stock_keeping_units`);
}

async function addTrunks(api: Client): Promise<void> {
  const sip = { type: 'sip_configurations', attributes: { host: 'sip.example.com', codec_ids: [9, 10] } };
  await api.create('voice_in_trunks', { name: 'Demo trunk', configuration: sip });
  await api.create('voice_in_trunk_groups', { name: 'Demo group' });
  await api.create('voice_out_trunks', {
    name: 'Demo dialer',
    on_cli_mismatch_action: 'reject_call',
    authentication_method: { type: 'credentials_and_ip', attributes: { allowed_sip_ips: ['203.0.113.10'] } },
  });
}

async function addPerson(api: Client, countryId: string): Promise<void> {
  const country = { type: 'countries', id: countryId };
  const person = { identity_type: 'personal', first_name: 'Jane', last_name: 'Doe', phone_number: '442079460000' };
  const identity = { type: 'identities', id: await api.create('identities', person, { country }) };
  const place = { address: '10 High Street', city_name: 'London', postal_code: 'SW1A 2AA' };
  await api.create('addresses', place, { identity, country });
}

/** Requests without a network, as the demo account. */
function client(app: FastifyInstance, apiKey: string) {
  const media = 'application/vnd.api+json';
  const send = async (method: 'GET' | 'POST', path: string, body?: object): Promise<{ id: string }> => {
    const response = await app.inject({
      method,
      url: `/v3${path}`,
      headers: { 'api-key': apiKey, ...(body ? { 'content-type': media } : {}) },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    });
    const document = response.json<{ data?: { id: string } | { id: string }[] }>();
    const [record] = [document.data ?? []].flat();
    if (response.statusCode >= 400 || !record) throw new Error(`${method} ${path}: ${response.body}`);
    return record;
  };
  return {
    first: async (path: string): Promise<string> => (await send('GET', path)).id,
    create: async (type: string, attributes: object, links: Record<string, object> = {}): Promise<string> => {
      const relationships = Object.fromEntries(Object.entries(links).map(([name, data]) => [name, { data }]));
      return (await send('POST', `/${type}`, { data: { type, attributes, relationships } })).id;
    },
  };
}
