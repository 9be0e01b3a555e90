/** Owned numbers: found, sorted, changed. */
import { beforeAll, describe, expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { didItem, patchDid } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { idOf } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());
let reference: string;
let orderId: string;
beforeAll(async () => {
  await shop.stock('london', 3);
  await shop.stock('newyork', 1);
  await shop.stock('registered', 1);
  const ordered = await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 2, billing_cycles_count: 4 })]);
  reference = String(ordered.resource.attributes.reference);
  orderId = ordered.resource.id;
  await shop.postOrder([
    didItem({ sku_id: shop.skus.free }),
    didItem({ sku_id: shop.skus.newyork }),
    didItem({ sku_id: shop.skus.registered }),
  ]);
  await runDueJobs(shop.env);
  const [first] = (await shop.client.get('/dids?filter[billing_cycles_count]=4')).resources;
  await patchDid(shop.client, first?.id ?? '', { description: 'Front desk', terminated: true });
});

describe('numbers are found', () => {
  test.each([
    ['', 5],
    ['filter[country.id]={GB}', 4],
    ['filter[country.id]={US},{GB}', 5],
    ['filter[country.id]=', 0],
    ['filter[city.id]=', 5],
    ['filter[region.id]=', 5],
    ['filter[did_group.features]=voice_in,t38', 5],
    ['filter[did_group.features]=voice_in,sms_in', 0],
    ['filter[order.id]={ORDER}', 2],
    ['filter[order.reference]={REF}', 2],
    ['filter[order.reference]={REF},AAA-000000', 2],
    ['filter[did_group.id]={NEWYORK}', 1],
    ['filter[billing_cycles_count]=', 3],
    ['filter[billing_cycles_count]=4', 1],
    ['filter[billing_cycles_count]=0,4', 2],
    ['filter[description]=desk', 1],
    ['filter[description]=Desk', 0],
    ['filter[description]=', 4],
    ['filter[terminated]=true', 1],
    ['filter[blocked]=true', 2],
    ['filter[blocked]=false&filter[country.id]={GB}', 2],
    ['filter[awaiting_registration]=true', 1],
    ['filter[emergency_enabled]=true', 0],
    ['filter[voice_in_trunk.id]=', 5],
    ['filter[capacity_pool.id]=', 5],
    ['filter[address_verification.id]=', 5],
  ])('with %j: %i', async (query, count) => {
    // All at once: a reference is random, and may hold the letters of a country.
    const words: Record<string, string> = {
      ORDER: orderId,
      REF: reference,
      NEWYORK: shop.groups.newyork,
      US: idOf('countries', 'US'),
      GB: idOf('countries', 'GB'),
    };
    const filled = query.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '');
    expect((await shop.client.get(`/dids?${filled}`)).meta.total_records).toBe(count);
  });

  test('in the order of their numbers, or as asked', async () => {
    const numbers = async (query: string) =>
      (await shop.client.get(`/dids?${query}`)).resources.map(({ attributes }) => String(attributes.number));
    const byNumber = await numbers('');
    expect(byNumber).toEqual(byNumber.toSorted());
    expect(await numbers('sort=-number')).toEqual(byNumber.toReversed());
    expect((await shop.client.get('/dids?sort=-blocked,number')).resources[0]?.attributes.blocked).toBe(true);
    expect((await shop.client.get('/dids?sort=did_group.area_name')).errors[0]?.code).toBe('114');
    expect((await shop.client.get('/dids?filter[renewal]=true')).errors[0]?.code).toBe('102');
    expect((await shop.client.get('/dids?filter[order.reference]=')).errors[0]?.code).toBe('107');
  });

  test('in lists only: nothing filters one record', async () => {
    const [did] = (await shop.client.get('/dids?page[size]=1')).resources;
    for (const path of [`/dids/${did?.id}`, '/balance']) {
      const refused = { title: 'Filter not allowed', detail: 'id is not allowed.', code: '102', status: '400' };
      expect((await shop.client.get(`${path}?filter[id]=${did?.id}`)).errors).toEqual([refused]);
    }
  });

  test('with everything around them in one response', async () => {
    const path =
      '/dids?include=order,did_group.country,did_group.stock_keeping_units,voice_in_trunk.voice_in_trunk_group';
    const { included } = await shop.client.get(path);
    const types = new Set(included.map(({ type }) => type));
    expect(types).toEqual(new Set(['orders', 'did_groups', 'countries', 'stock_keeping_units']));
  });
});
