/** The first part of the story behind the examples: looking around, buying, and capacity. */
import type { Recorder } from '../../support/recorder.ts';
import { changed, link, made } from './words.ts';

export interface Goods {
  countryId: string;
  number: { id: string; digits: string };
  /** An available number that nobody buys. */
  spare: string;
}

/** A group with its first offer. */
export async function findGroup(recorder: Recorder, filters: string, as = 'Example') {
  const { body } = await recorder.send('GET', `/v3/did_groups?${filters}&include=stock_keeping_units&page[size]=1`, {
    as,
  });
  const [group] = body.data;
  const sku = group?.relationships.stock_keeping_units?.data[0];
  if (!group || !sku) throw new Error(`no group for ${filters}`);
  return { id: group.id, sku: sku.id };
}

export const idOf = async (recorder: Recorder, url: string): Promise<string> => {
  const { body } = await recorder.send('GET', url);
  const id = body.data[0]?.id;
  if (id === undefined) throw new Error(`nothing at ${url}`);
  return id;
};

export async function goShopping(recorder: Recorder): Promise<Goods> {
  const send = recorder.send.bind(recorder);
  const countryId = await idOf(recorder, '/v3/countries?filter[iso]=GB');
  const us = await idOf(recorder, '/v3/countries?filter[iso]=US');
  await idOf(recorder, '/v3/countries?filter[iso]=GB');
  await send('GET', `/v3/countries/${countryId}`);
  for (const [path, query] of [
    ['regions', `filter[country.id]=${us}&filter[name]=California`],
    ['cities', `filter[country.id]=${countryId}&filter[name]=London`],
    ['areas', 'page[size]=1'],
    ['did_group_types', 'filter[name]=Local'],
    ['nanpa_prefixes', `filter[country.id]=${us}&filter[did_group.is_available]=true&page[size]=1`],
  ] as const) {
    const id = await idOf(recorder, `/v3/${path}?${query}`);
    await send('GET', `/v3/${path}/${id}`);
  }
  await send('GET', '/v3/pops');
  await send('GET', '/sandbox/v1/orders');
  await send('POST', '/sandbox/v1/orders', { body: { delay_seconds: 0 } });

  const group = await findGroup(
    recorder,
    `filter[country.id]=${countryId}&filter[needs_registration]=false&filter[allow_additional_channels]=true&filter[is_available]=true&filter[meta.total_count_gteq]=50`,
  );
  await send('GET', `/v3/did_groups/${group.id}?include=country,stock_keeping_units`);
  await order(recorder, 'By SKU', { sku_id: group.sku, qty: 2 });
  const { body: stock } = await send('GET', `/v3/available_dids?filter[did_group.id]=${group.id}&page[size]=4`);
  const [spare, first, second, third] = stock.data;
  if (!spare || !first || !second || !third) throw new Error('London has numbers');
  await send('GET', `/v3/available_dids/${spare.id}`);

  const given = await reserve(recorder, third.id);
  const reservation = await reserve(recorder, second.id);
  await send('GET', '/v3/did_reservations');
  await send('DELETE', `/v3/did_reservations/${given}`);

  const number = await order(recorder, 'A chosen number', { sku_id: group.sku, available_did_id: first.id });
  await order(recorder, 'A reserved number', { sku_id: group.sku, did_reservation_id: reservation });
  await buyByPrefix(recorder, us);
  await send('POST', '/sandbox/v1/clock', { body: { advance_seconds: 60 } });
  await send('GET', `/v3/orders/${number}`);
  await send('GET', '/v3/orders?sort=-created_at&page[size]=1');
  await send('PATCH', `/v3/orders/${number}`, { body: changed('orders', number, { external_reference_id: 'po-18' }) });
  await cancelBackOrder(recorder, us);
  const { body: dids } = await send('GET', `/v3/dids?filter[order.id]=${number}`);
  const [did] = dids.data;
  if (!did) throw new Error('the order brought a number');
  await useChannels(recorder, countryId, did.id);
  await send('GET', '/v3/balance');
  return { countryId, number: { id: did.id, digits: String(did.attributes.number) }, spare: spare.id };
}

export async function reserve(recorder: Recorder, number: string): Promise<string> {
  const { body } = await recorder.send('POST', '/v3/did_reservations', {
    body: made(
      'did_reservations',
      { description: 'For the new office' },
      { available_did: link('available_dids', number) },
    ),
  });
  await recorder.send('GET', `/v3/did_reservations/${body.data.id}`);
  return body.data.id;
}

async function order(recorder: Recorder, as: string, item: object): Promise<string> {
  const { body } = await recorder.send('POST', '/v3/orders', {
    as,
    body: made('orders', {
      items: [{ type: 'did_order_items', attributes: item }],
      external_reference_id: 'po-17',
    }),
  });
  return body.data.id;
}

async function buyByPrefix(recorder: Recorder, country: string): Promise<void> {
  const prefix = await idOf(
    recorder,
    `/v3/nanpa_prefixes?filter[country.id]=${country}&filter[did_group.is_available]=true&page[size]=1`,
  );
  const group = await findGroup(recorder, `filter[nanpa_prefix.id]=${prefix}`, 'By prefix');
  await order(recorder, 'By NANPA prefix', { sku_id: group.sku, nanpa_prefix_id: prefix, qty: 1 });
}

/** Only an order that waits for numbers can be cancelled. */
async function cancelBackOrder(recorder: Recorder, country: string): Promise<void> {
  const soldOut = await findGroup(recorder, `filter[country.id]=${country}&filter[area_name]=Berlin`, 'Sold out');
  const pending = await order(recorder, 'A back order', { sku_id: soldOut.sku, qty: 1 });
  await recorder.send('DELETE', `/v3/orders/${pending}`);
}

async function useChannels(recorder: Recorder, country: string, did: string): Promise<void> {
  const send = recorder.send.bind(recorder);
  const pool = await idOf(recorder, `/v3/capacity_pools?filter[country.id]=${country}&page[size]=1`);
  await send('POST', '/v3/orders', {
    as: 'Channel capacity',
    body: made('orders', { items: [{ type: 'capacity_order_items', attributes: { capacity_pool_id: pool, qty: 5 } }] }),
  });
  await send('GET', `/v3/capacity_pools/${pool}`);
  const create = (name: string) =>
    send('POST', '/v3/shared_capacity_groups', {
      body: made(
        'shared_capacity_groups',
        { name, shared_channels_count: 1 },
        { capacity_pool: link('capacity_pools', pool) },
      ),
    });
  const doomed = (await create('Old office')).body.data.id;
  const { id } = (await create('Front desk')).body.data;
  await send('GET', '/v3/shared_capacity_groups');
  await send('GET', `/v3/shared_capacity_groups/${id}`);
  const links = { dids: [link('dids', did)] };
  await send('PATCH', `/v3/shared_capacity_groups/${id}?include=dids`, {
    body: changed('shared_capacity_groups', id, { shared_channels_count: 2 }, links),
  });
  await send('DELETE', `/v3/shared_capacity_groups/${doomed}`);
  await send('PATCH', `/v3/capacity_pools/${pool}`, {
    body: changed('capacity_pools', pool, { total_channels_count: 4 }),
  });
}
