/** The scenario in JavaScript. `send` is the HTTP client: it gets one request and resolves to its status and document. */
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { API, KEY, APP_KEY, APP_SECRET, CLIENT, NUMBERS, FINGERPRINT, ENCRYPTED_FILE } = process.env;

/**
 * @typedef {{ method: string, url: string, query?: Record<string, string>, headers: Record<string, string>,
 *   json?: unknown, text?: string, form?: FormData }} Sent
 * @typedef {{ status: number, retryAfter?: string | null, data: any }} Got
 * @param {(request: Sent) => Promise<Got>} send
 */
export async function run(send) {
  await platform(send);
  await verification(send);
}

const say = (step, ...words) => console.log(`${step}: ${words.join(' ')}`);

async function platform(send) {
  const jsonApi = 'application/vnd.api+json';
  const call = (method, path, more = {}) => {
    const headers = { 'api-key': KEY, accept: jsonApi, ...(more.json ? { 'content-type': jsonApi } : {}) };
    const url = path.startsWith('http') ? path : `${API}/v3${path}`;
    return send({ method, url, headers, ...more });
  };
  const get = async (path, query) => (await call('GET', path, { query })).data;

  const countries = await get('/countries', { 'filter[iso]': 'GB' });
  const [country] = countries.data;
  say('country', country.attributes.name, country.attributes.prefix, countries.meta.total_records);

  const cities = await get('/cities', {
    'filter[name]': 'Frankfurt am Main',
    include: 'country',
    'fields[cities]': 'name,country',
    'fields[countries]': 'iso',
  });
  const [city] = cities.data;
  say('city', city.attributes.name, cities.included[0].attributes.iso, Object.keys(city.attributes));

  let read = 0;
  let page = await get('/cities', { 'filter[country.id]': country.id, 'page[size]': '20' });
  for (;;) {
    read += page.data.length;
    if (!page.links.next) break;
    page = await get(page.links.next);
  }
  say('pages', read === page.meta.total_records, read > 60);

  const name = `Zürich + Söhne ${CLIENT}`;
  const configuration = {
    type: 'sip_configurations',
    attributes: { username: '{DID}', host: 'sip.example.com', codec_ids: [9, 10] },
  };
  const trunk = await call('POST', '/voice_in_trunks', {
    json: { data: { type: 'voice_in_trunks', attributes: { name, configuration } } },
  });
  const trunkId = trunk.data.data.id;
  say('trunk', trunk.status, trunk.data.data.attributes.name === name);
  const found = await get('/voice_in_trunks', { 'filter[name]': name });
  say('search', found.data.length, found.data[0].id === trunkId);

  const groups = await get('/did_groups', {
    'filter[country.id]': country.id,
    'filter[needs_registration]': 'false',
    'filter[is_available]': 'true',
    include: 'stock_keeping_units',
    'page[size]': '1',
  });
  const sku = groups.included.find((unit) => unit.attributes.channels_included_count > 0);
  const items = [{ type: 'did_order_items', attributes: { sku_id: sku.id, qty: 1 } }];
  const order = await call('POST', '/orders', { json: { data: { type: 'orders', attributes: { items } } } });
  let { status } = order.data.data.attributes;
  while (status !== 'completed') {
    await sleep(50);
    status = (await get(`/orders/${order.data.data.id}`)).data.attributes.status;
  }
  const [did] = (await get('/dids', { 'filter[order.id]': order.data.data.id })).data;
  say('order', order.status, status, /^44\d+$/.test(did.attributes.number));

  const patched = await call('PATCH', `/dids/${did.id}`, {
    query: { include: 'voice_in_trunk' },
    json: {
      data: {
        id: did.id,
        type: 'dids',
        attributes: { description: 'a+b & ü', capacity_limit: null },
        relationships: { voice_in_trunk: { data: { type: 'voice_in_trunks', id: trunkId } } },
      },
    },
  });
  const { description, capacity_limit } = patched.data.data.attributes;
  say('patch', patched.status, description, capacity_limit === null, patched.data.included[0].id === trunkId);

  const form = new FormData();
  form.append('encrypted_files[encryption_fingerprint]', FINGERPRINT);
  form.append('encrypted_files[description]', `Paß ${CLIENT}`);
  form.append('encrypted_files[file]', new Blob([readFileSync(ENCRYPTED_FILE)]), 'passport.pdf.enc');
  const upload = await call('POST', '/encrypted_files', { form });
  const file = await get(`/encrypted_files/${upload.data.data.id}`);
  say('upload', upload.status, file.data.attributes.description === `Paß ${CLIENT}`);

  const held = await call('DELETE', `/voice_in_trunks/${trunkId}`);
  say('held', held.status, held.data.errors[0].code);
  const unlink = { voice_in_trunk: { data: null } };
  await call('PATCH', `/dids/${did.id}`, { json: { data: { id: did.id, type: 'dids', relationships: unlink } } });
  const deleted = await call('DELETE', `/voice_in_trunks/${trunkId}`);
  const again = await call('GET', `/voice_in_trunks/${trunkId}`);
  say('delete', deleted.status, again.status, again.data.errors[0].title);

  const refused = await call('POST', '/voice_in_trunks', {
    json: { data: { type: 'voice_in_trunks', attributes: { name: '', configuration } } },
  });
  const [problem] = refused.data.errors;
  say('refused', refused.status, problem.source.pointer, problem.detail);
  const stranger = await call('GET', '/balance', { headers: { 'api-key': 'nobody', accept: jsonApi } });
  say('stranger', stranger.status, stranger.data.errors[0].detail);
}

async function verification(send) {
  const json = 'application/json';
  const basic = `Basic ${Buffer.from(`${APP_KEY}:${APP_SECRET}`).toString('base64')}`;
  const modes = {
    basic: () => ({ authorization: basic }),
    application: (method, path, text) => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const md5 = text === undefined ? '' : createHash('md5').update(text).digest('base64');
      const signed = [method, md5, text === undefined ? '' : json, `x-timestamp:${timestamp}`, path].join('\n');
      const signature = createHmac('sha256', Buffer.from(APP_SECRET, 'base64url')).update(signed).digest('base64');
      return { authorization: `Application ${APP_KEY}:${signature}`, 'x-timestamp': timestamp };
    },
    public: () => ({ authorization: `Application ${APP_KEY}` }),
  };
  const call = (mode, method, below, data) => {
    const path = `/api/v1/verifications${below}`;
    const text = data === undefined ? undefined : JSON.stringify({ data });
    const content = text === undefined ? {} : { 'content-type': json };
    const headers = { accept: json, ...content, ...modes[mode](method, path, text) };
    return send({ method, url: API + path, headers, text });
  };
  const codeFor = async (number) => {
    const query = { destination: number.slice(1), wait: '30' };
    const inbox = await send({ method: 'GET', url: `${API}/sandbox/v1/messages`, query, headers: { 'api-key': KEY } });
    return inbox.data.messages[0].code;
  };
  const sms = { delivery_method: 'sms' };

  const first = `${NUMBERS}1`;
  const byNumber = `/by_number/${encodeURIComponent(first)}`;
  const start = await call('basic', 'POST', '', { destination: first, ...sms, sms: { languages: ['de-DE'] } });
  const report = await call('basic', 'PATCH', byNumber, { code: await codeFor(first), ...sms });
  say('basic', start.status, start.data.data.status, start.data.data.sms.language, report.data.data.status);

  const second = `${NUMBERS}2`;
  const signed = await call('application', 'POST', '', { destination: second, ...sms });
  const { id } = signed.data.data;
  const status = await call('application', 'GET', `/${id}`);
  const verified = await call('application', 'PATCH', `/${id}`, { code: await codeFor(second), ...sms });
  say('application', signed.status, status.data.data.status, verified.data.data.status);

  const third = `${NUMBERS}3`;
  const open = await call('public', 'POST', '', { destination: third, ...sms });
  const put = await call('public', 'PUT', `/${open.data.data.id}`, { code: await codeFor(third), ...sms });
  say('public', open.status, open.data.data.status, put.data.data.status);

  const soon = await call('basic', 'POST', '', { destination: first, ...sms });
  say('cooldown', soon.status, soon.data.errors[0].code, /^([1-9]|[12]\d|30)$/.test(soon.retryAfter));
  const wrong = await call('basic', 'POST', '', { destination: '12', ...sms });
  say('invalid', wrong.status, wrong.data.errors[0].detail);
  const unknown = await call('basic', 'GET', '/8f14e45f-ceea-467f-ab3f-9f2d1c6c0000');
  const forged = await send({
    method: 'GET',
    url: `${API}/api/v1/verifications/${id}`,
    headers: { authorization: `Application ${APP_KEY}:forged`, 'x-timestamp': '1', accept: json },
  });
  say('unknown', unknown.status, unknown.data.errors[0].code, forged.status, forged.data.errors[0].code);
}
