/** The scenario with openapi-fetch and the types that openapi-typescript has made of the server's own document. */
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient, { type Middleware } from 'openapi-fetch';
import type { paths } from './api.d.ts';

const variable = (name: string): string => process.env[name] ?? '';
const baseUrl = variable('API');
const client = variable('CLIENT');
const numbers = variable('NUMBERS');
const application = { key: variable('APP_KEY'), secret: variable('APP_SECRET') };

const say = (step: string, ...words: unknown[]): void => console.log(`${step}: ${words.join(' ')}`);

/** What a response with a good status holds; anything else ends the program. */
function body<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.url} is ${response.status}: ${JSON.stringify(error)}`);
  return data;
}

/** What a refusal holds. */
function refusal<E>({ error, response }: { error?: E; response: Response }): E {
  if (error === undefined) throw new Error(`${response.url} is ${response.status}`);
  return error;
}

async function platform(): Promise<void> {
  const media = 'application/vnd.api+json';
  const commas = { array: { style: 'form', explode: false } } as const;
  const headers = { 'api-key': variable('KEY'), accept: media };
  const api = createClient<paths>({ baseUrl, headers, querySerializer: commas });
  /** Its own default is that of plain JSON. */
  const jsonApi: Middleware = {
    onRequest({ request }) {
      if (request.headers.get('content-type') === 'application/json') request.headers.set('content-type', media);
    },
  };
  api.use(jsonApi);

  const countries = body(await api.GET('/v3/countries', { params: { query: { 'filter[iso]': ['GB'] } } }));
  const [country] = countries.data;
  say('country', country.attributes.name, country.attributes.prefix, countries.meta.total_records);

  const named = { 'filter[name]': ['Frankfurt am Main'], include: ['country'] };
  const fields = { cities: 'name,country', countries: 'iso' };
  const cities = body(await api.GET('/v3/cities', { params: { query: { ...named, fields } } }));
  const [city] = cities.data;
  const countryOfCity = cities.included?.find((one) => one.type === 'countries');
  say('city', city.attributes.name, countryOfCity?.attributes.iso, Object.keys(city.attributes));

  const ofCountry = { 'filter[country.id]': [country.id] };
  let read = 0;
  let page = body(await api.GET('/v3/cities', { params: { query: { ...ofCountry, 'page[size]': 20 } } }));
  for (;;) {
    read += page.data.length;
    if (!page.links.next) break;
    const next = new URL(page.links.next).searchParams;
    const place = { 'page[number]': Number(next.get('page[number]')), 'page[size]': Number(next.get('page[size]')) };
    page = body(await api.GET('/v3/cities', { params: { query: { ...ofCountry, ...place } } }));
  }
  say('pages', read === page.meta.total_records, read > 60);

  const name = `Zürich + Söhne ${client}`;
  const configuration = {
    type: 'sip_configurations' as const,
    attributes: { username: '{DID}', host: 'sip.example.com', codec_ids: [9 as const, 10 as const] },
  };
  const wish = { data: { type: 'voice_in_trunks' as const, attributes: { name, configuration } } };
  const trunk = await api.POST('/v3/voice_in_trunks', { body: wish });
  const { id: trunkId, attributes } = body(trunk).data;
  say('trunk', trunk.response.status, attributes.name === name);
  const found = body(await api.GET('/v3/voice_in_trunks', { params: { query: { 'filter[name]': [name] } } }));
  say('search', found.data.length, found.data[0].id === trunkId);

  const wanted = {
    ...ofCountry,
    'filter[needs_registration]': false,
    'filter[is_available]': true,
    include: ['stock_keeping_units'],
    'page[size]': 1,
  };
  const { included: related = [] } = body(await api.GET('/v3/did_groups', { params: { query: wanted } }));
  const offers = related.flatMap((one) => (one.type === 'stock_keeping_units' ? [one] : []));
  const sku = offers.find((one) => one.attributes.channels_included_count > 0);
  const items = [{ type: 'did_order_items' as const, attributes: { sku_id: sku?.id ?? '', qty: 1 } }];
  const order = await api.POST('/v3/orders', { body: { data: { type: 'orders', attributes: { items } } } });
  const { id: orderId } = body(order).data;
  let { status } = body(order).data.attributes;
  while (status !== 'completed') {
    await sleep(50);
    ({ status } = body(await api.GET('/v3/orders/{id}', { params: { path: { id: orderId } } })).data.attributes);
  }
  const [did] = body(await api.GET('/v3/dids', { params: { query: { 'filter[order.id]': [orderId] } } })).data;
  say('order', order.response.status, status, /^44\d+$/.test(did.attributes.number));

  const ofNumber = { params: { path: { id: did.id } } };
  const change = {
    id: did.id,
    type: 'dids' as const,
    attributes: { description: 'a+b & ü', capacity_limit: null },
    relationships: { voice_in_trunk: { data: { type: 'voice_in_trunks' as const, id: trunkId } } },
  };
  const patched = await api.PATCH('/v3/dids/{id}', {
    params: { ...ofNumber.params, query: { include: ['voice_in_trunk'] } },
    body: { data: change },
  });
  const { data: changed, included } = body(patched);
  const { description, capacity_limit } = changed.attributes;
  say('patch', patched.response.status, description, capacity_limit === null, included?.[0].id === trunkId);

  const upload = await api.POST('/v3/encrypted_files', {
    body: {
      'encrypted_files[encryption_fingerprint]': variable('FINGERPRINT'),
      'encrypted_files[description]': `Paß ${client}`,
      'encrypted_files[file]': variable('ENCRYPTED_FILE'),
    },
    bodySerializer({ 'encrypted_files[file]': file, ...texts }) {
      const form = new FormData();
      for (const [member, text] of Object.entries(texts)) form.set(member, text);
      form.set('encrypted_files[file]', new Blob([readFileSync(file)]), 'file.enc');
      return form;
    },
  });
  const ofFile = { params: { path: { id: body(upload).data.id } } };
  const file = body(await api.GET('/v3/encrypted_files/{id}', ofFile));
  say('upload', upload.response.status, file.data.attributes.description === `Paß ${client}`);

  const ofTrunk = { params: { path: { id: trunkId } } };
  const held = await api.DELETE('/v3/voice_in_trunks/{id}', ofTrunk);
  say('held', held.response.status, refusal(held).errors[0].code);
  await api.PATCH('/v3/dids/{id}/relationships/voice_in_trunk', { ...ofNumber, body: { data: null } });
  const deleted = await api.DELETE('/v3/voice_in_trunks/{id}', ofTrunk);
  const again = await api.GET('/v3/voice_in_trunks/{id}', ofTrunk);
  say('delete', deleted.response.status, again.response.status, refusal(again).errors[0].title);

  const nameless = { data: { type: 'voice_in_trunks' as const, attributes: { name: '', configuration } } };
  const refused = await api.POST('/v3/voice_in_trunks', { body: nameless });
  const [problem] = refusal(refused).errors;
  say('refused', refused.response.status, problem.source?.pointer, problem.detail);
  const stranger = await api.GET('/v3/balance', { headers: { 'api-key': 'nobody' } });
  say('stranger', stranger.response.status, refusal(stranger).errors[0].detail);
}

async function verification(): Promise<void> {
  const { key, secret } = application;
  const started = '/api/v1/verifications';
  const known = '/api/v1/verifications/{id}';
  const basic = createClient<paths>({
    baseUrl,
    headers: { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` },
  });
  const open = createClient<paths>({ baseUrl, headers: { authorization: `Application ${key}` } });
  const signed = createClient<paths>({ baseUrl });
  /** Signs what is about to be sent. */
  signed.use({
    async onRequest({ request }) {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const sent = Buffer.from(await request.clone().arrayBuffer());
      const md5 = sent.length === 0 ? '' : createHash('md5').update(sent).digest('base64');
      const type = sent.length === 0 ? '' : (request.headers.get('content-type') ?? '');
      const { pathname } = new URL(request.url);
      const lines = [request.method, md5, type, `x-timestamp:${timestamp}`, pathname].join('\n');
      const signature = createHmac('sha256', Buffer.from(secret, 'base64url')).update(lines).digest('base64');
      request.headers.set('x-timestamp', timestamp);
      request.headers.set('authorization', `Application ${key}:${signature}`);
    },
  });
  const sandbox = createClient<paths>({ baseUrl, headers: { 'api-key': variable('KEY') } });
  const codeFor = async (number: string): Promise<string> => {
    const query = { destination: number.slice(1), wait: 30 };
    return body(await sandbox.GET('/sandbox/v1/messages', { params: { query } })).messages[0].code ?? '';
  };
  const sms = { delivery_method: 'sms' as const };
  const byId = (id: string) => ({ params: { path: { id } } });

  const first = `${numbers}1`;
  const languages = { sms: { languages: ['de-DE'] } };
  const start = await basic.POST(started, { body: { data: { destination: first, ...sms, ...languages } } });
  const { data: begun } = body(start);
  const report = await basic.PATCH('/api/v1/verifications/by_number/{number}', {
    params: { path: { number: first } },
    body: { data: { code: await codeFor(first), ...sms } },
  });
  say('basic', start.response.status, begun.status, begun.sms?.language, body(report).data.status);

  const second = `${numbers}2`;
  const other = await signed.POST(started, { body: { data: { destination: second, ...sms } } });
  const { id } = body(other).data;
  const status = body(await signed.GET(known, byId(id)));
  const code = { data: { code: await codeFor(second), ...sms } };
  const verified = body(await signed.PATCH(known, { ...byId(id), body: code }));
  say('application', other.response.status, status.data.status, verified.data.status);

  const third = `${numbers}3`;
  const anybody = await open.POST(started, { body: { data: { destination: third, ...sms } } });
  const last = { data: { code: await codeFor(third), ...sms } };
  const put = body(await open.PUT(known, { ...byId(body(anybody).data.id), body: last }));
  say('public', anybody.response.status, body(anybody).data.status, put.data.status);

  const soon = await basic.POST(started, { body: { data: { destination: first, ...sms } } });
  const wait = soon.response.headers.get('retry-after') ?? '';
  say('cooldown', soon.response.status, refusal(soon).errors[0].code, /^([1-9]|[12]\d|30)$/.test(wait));
  const wrong = await basic.POST(started, { body: { data: { destination: '12', ...sms } } });
  say('invalid', wrong.response.status, refusal(wrong).errors[0].detail);
  const unknown = await basic.GET(known, byId('8f14e45f-ceea-467f-ab3f-9f2d1c6c0000'));
  const headers = { 'x-timestamp': '1', authorization: `Application ${key}:forged` };
  const forged = await open.GET(known, { ...byId(id), headers });
  const codes = [refusal(unknown).errors[0].code, forged.response.status, refusal(forged).errors[0].code];
  say('unknown', unknown.response.status, ...codes);
}

await platform();
await verification();
