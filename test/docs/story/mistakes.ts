/** The last part of the story: each error once, by its code. */
import type { Recorder, Sent } from '../../support/recorder.ts';
import { type Goods, idOf } from './shop.ts';
import { changed, made } from './words.ts';

/** Requests that must fail. */
const refusals = (recorder: Recorder) => (method: string, url: string, sent: Sent) =>
  recorder.send(method, url, { ...sent, refused: true });

const nobody = '00000000-0000-4000-8000-000000000000';

export async function makeMistakes(
  recorder: Recorder,
  goods: Goods,
  registered: string,
  application: string,
): Promise<void> {
  const send = refusals(recorder);
  const get = (as: string, query: string) => send('GET', `/v3/cities?${query}`, { as });
  await get('102 Filter not allowed', 'filter[mayor]=Jane');
  await get('104 Invalid field', 'fields[cities]=mayor');
  await get('107 Invalid filter value', 'filter[country.id]=GB');
  await get('112 Invalid include', 'include=mayor');
  await get('114 Invalid sort criteria', 'sort=mayor');
  await get('118 Invalid page value', 'page[size]=5000');
  await send('GET', '/v3/balance', { as: '401 Unauthorized', headers: { 'api-key': 'not a key' } });
  await send('GET', `/v3/dids/${nobody}`, { as: '404 Record not found' });
  await send('GET', '/v3/balance', { as: '406 Not acceptable', headers: { accept: 'text/html' } });

  const post = (as: string, body: object) => send('POST', '/v3/orders', { as, body });
  await post('105 Param not allowed', made('orders', { items: [], colour: 'red' }));
  await post('106 Missing parameter', { data: { type: 'orders', attributes: {} } });
  await post('100 Validation error', item({ sku_id: nobody, qty: 1 }));
  const dear = await idOf(recorder, '/v3/capacity_pools?page[size]=1');
  const channels = { type: 'capacity_order_items', attributes: { capacity_pool_id: dear, qty: 10_000 } };
  await post('400 Insufficient balance', made('orders', { items: [channels] }));
  await send('POST', '/v3/orders', {
    as: '415 Unsupported media type',
    body: item({ sku_id: nobody }),
    headers: { 'content-type': 'text/plain' },
  });
  await post('413 Payload too large', item({ sku_id: nobody, note: 'x'.repeat(1024 * 1024) }));
  const { id } = goods.number;
  await send('PATCH', `/v3/dids/${id}`, {
    as: '100 Too large',
    body: changed('dids', id, { capacity_limit: 99_999 }),
  });
  await send('DELETE', `/v3/identities/${registered}`, { as: '409 Conflict' });
  await sandboxMistakes(recorder);
  await verificationMistakes(recorder, application);
}

const item = (attributes: object) => made('orders', { items: [{ type: 'did_order_items', attributes }] });

async function sandboxMistakes(recorder: Recorder): Promise<void> {
  const send = refusals(recorder);
  await send('GET', '/sandbox/v1/clock', { as: 'No key', headers: { 'api-key': 'not a key' } });
  await send('POST', '/sandbox/v1/clock', { as: 'Backwards', body: { advance_seconds: -1 } });
  await send('POST', '/sandbox/v1/clock', { as: 'Not JSON', raw: '{' });
  await send('POST', '/sandbox/v1/clock', {
    as: 'Not JSON at all',
    raw: 'x',
    headers: { 'content-type': 'application/xml' },
  });
  await send('GET', '/storage/public/nothing', { as: 'No such form' });
  await send('POST', `/sandbox/v1/calls/${nobody}/hangup`, { as: 'No such call', body: {} });
  await send('GET', `/sandbox/v1/messages/${nobody}/audio`, { as: 'No such message' });
  const decided = recorder.exchanges.decide_address_verifications?.[0]?.path.id;
  await send('POST', `/sandbox/v1/address_verifications/${decided}/decision`, {
    as: 'Decided already',
    body: { action: 'approve' },
  });
}

async function verificationMistakes(recorder: Recorder, application: string): Promise<void> {
  const send = refusals(recorder);
  const headers = { authorization: `Application ${application}` };
  const start = (as: string, body: object) => send('POST', '/api/v1/verifications', { as, body, headers });
  await start('parameter_missing', {});
  await start('destination_invalid', { data: { destination: 'Jane', delivery_method: 'sms' } });
  await send('GET', `/api/v1/verifications/${nobody}`, { as: 'not_found', headers });
  await send('GET', `/api/v1/verifications/${nobody}`, { as: 'unauthorized' });
}
