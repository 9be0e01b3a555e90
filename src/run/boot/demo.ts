/** The demo account on a first start: its example records, and whether pages may show its credentials. */

import type { Environment } from '../../engines/environment.ts';
import type { Demo } from '../../interfaces/bootstrap/demo.ts';
import { readBootstrapFile } from '../../interfaces/bootstrap/parse.ts';
import type { DemoAccess } from '../../interfaces/server/docs/demo-access.ts';
import type { Config } from '../config/types.ts';
import type { DemoClient } from './demo-client.ts';

export async function addDemoRecords(api: DemoClient, env: Environment): Promise<void> {
  const country = await api.first('/countries?filter[iso]=GB');
  const group = await api.first(
    `/did_groups?filter[country.id]=${country}&filter[needs_registration]=false&filter[allow_additional_channels]=true&filter[meta.total_count_gteq]=50`,
  );
  const number = await api.first(`/available_dids?filter[did_group.id]=${group}&page[size]=10&page[number]=2`);
  await api.create('did_reservations', {}, { available_did: { type: 'available_dids', id: number } });
  await orderNumbers(api, group, 1);
  const pool = await api.first(`/capacity_pools?filter[country.id]=${country}&page[size]=1`);
  await order(api, 'capacity_order_items', { capacity_pool_id: pool, qty: 5 });
  await api.create(
    'shared_capacity_groups',
    { name: 'Demo', shared_channels_count: 1 },
    { capacity_pool: { type: 'capacity_pools', id: pool } },
  );
  await orderNumbers(api, await soldOutGroup(api), 1);
  await addTrunks(api);
  const today = env.clock.now().toISOString().slice(0, 10);
  const filters = { from: `${today} 00:00:00`, to: `${today} 00:00:01` };
  await api.create('exports', { export_type: 'cdr_in', filters });
}

/** Orders numbers with included channels, so that they can be called. Returns the id of the order. */
export async function orderNumbers(api: DemoClient, group: string, qty: number): Promise<string> {
  const skus = await api.list(`/did_groups/${group}/stock_keeping_units`);
  const sku = skus.find(({ attributes }) => attributes.channels_included_count !== 0) ?? skus[0];
  return order(api, 'did_order_items', { sku_id: sku?.id, qty });
}

const order = async (api: DemoClient, type: string, attributes: object): Promise<string> =>
  (await api.create('orders', { items: [{ type, attributes }] })).id;

/** An order from here waits for numbers, so that it can be cancelled. */
async function soldOutGroup(api: DemoClient): Promise<string> {
  const country = await api.first('/countries?filter[iso]=US');
  return api.first(`/did_groups?filter[country.id]=${country}&filter[area_name]=Berlin&page[size]=1`);
}

async function addTrunks(api: DemoClient): Promise<void> {
  const sip = { type: 'sip_configurations', attributes: { host: 'sip.example.com', codec_ids: [9, 10] } };
  await api.create('voice_in_trunks', { name: 'Demo trunk', configuration: sip });
  // The newest trunk receives no calls, so that it can be deleted.
  await api.create('voice_in_trunks', { name: 'Spare trunk', configuration: sip });
  await api.create('voice_in_trunk_groups', { name: 'Demo group' });
  await api.create('voice_out_trunks', {
    name: 'Demo dialer',
    on_cli_mismatch_action: 'reject_call',
    authentication_method: { type: 'credentials_and_ip', attributes: { allowed_sip_ips: ['203.0.113.10'] } },
  });
}

type Credentials = Omit<DemoAccess, 'recordsMade'>;

export async function demoAccessOf(
  demo: Demo | undefined,
  { name, publicUrl }: Pick<Environment, 'name' | 'publicUrl'>,
  config: Pick<Config, 'host' | 'trustedProxies'>,
): Promise<Credentials | null> {
  const isPrivate = isLoopback(config.host) && publicUrl === null && config.trustedProxies.length === 0;
  if (!isPrivate || demo === undefined) return null;
  const [account] = (demo.made ?? (await readBootstrapFile(demo.file))[name]).accounts;
  const apiKey = account?.api_keys[0]?.key;
  if (apiKey === undefined) return null;
  return { apiKey, application: account?.otp_applications[0] ?? null };
}

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
