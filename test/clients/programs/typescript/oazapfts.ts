/** The scenario with a client that oazapfts has made from the server's own document; its types hold the program. */
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as api from './api.ts';

const variable = (name: string): string => process.env[name] ?? '';
const apiKey = variable('KEY');
const client = variable('CLIENT');
const numbers = variable('NUMBERS');
const application = { key: variable('APP_KEY'), secret: variable('APP_SECRET') };

api.defaults.baseUrl = variable('API');

const say = (step: string, ...words: unknown[]): void => console.log(`${step}: ${words.join(' ')}`);

/** The body of a response with this status; anything else ends the program. */
function body<R extends { status: number }, S extends R['status']>(response: R, status: S): Data<R, S> {
  if (response.status !== status) throw new Error(`not ${status}: ${JSON.stringify(response)}`);
  return (response as unknown as { data: Data<R, S> }).data;
}
type Data<R extends { status: number }, S> = Extract<R, { status: S }> extends { data: infer D } ? D : never;

async function platform(): Promise<void> {
  const media = 'application/vnd.api+json';
  const reading = { headers: { 'api-key': apiKey, accept: media } };
  const writing = { headers: { ...reading.headers, 'content-type': media } };

  const countries = body(await api.listCountries({ filterIso: ['GB'] }, reading), 200);
  const [country] = countries.data;
  say('country', country.attributes.name, country.attributes.prefix, countries.meta.total_records);

  const named = { filterName: ['Frankfurt am Main'], include: ['country'] };
  const fields = { cities: 'name,country', countries: 'iso' };
  const cities = body(await api.listCities({ ...named, fields }, reading), 200);
  const [city] = cities.data;
  const countryOfCity = cities.included?.find((one) => one.type === 'countries');
  say('city', city.attributes.name, countryOfCity?.attributes.iso, Object.keys(city.attributes));

  let read = 0;
  let page = body(await api.listCities({ filterCountryId: [country.id], pageSize: 20 }, reading), 200);
  for (;;) {
    read += page.data.length;
    if (!page.links.next) break;
    const query = new URL(page.links.next).searchParams;
    const next = { pageNumber: Number(query.get('page[number]')), pageSize: Number(query.get('page[size]')) };
    page = body(await api.listCities({ filterCountryId: [country.id], ...next }, reading), 200);
  }
  say('pages', read === page.meta.total_records, read > 60);

  const name = `Zürich + Söhne ${client}`;
  const configuration = {
    type: 'sip_configurations' as const,
    attributes: { username: '{DID}', host: 'sip.example.com', codec_ids: [9 as const, 10 as const] },
  };
  const wish = { data: { type: 'voice_in_trunks' as const, attributes: { name, configuration } } };
  const trunk = await api.createVoiceInTrunks(wish, {}, writing);
  const { id: trunkId, attributes } = body(trunk, 201).data;
  say('trunk', trunk.status, attributes.name === name);
  const found = body(await api.listVoiceInTrunks({ filterName: [name] }, reading), 200);
  say('search', found.data.length, found.data[0].id === trunkId);

  const wanted = { filterCountryId: [country.id], filterNeedsRegistration: false, filterIsAvailable: true };
  const groups = await api.listDidGroups({ ...wanted, include: ['stock_keeping_units'], pageSize: 1 }, reading);
  const offers = (body(groups, 200).included ?? []).flatMap((one) => (one.type === 'stock_keeping_units' ? [one] : []));
  const sku = offers.find((one) => one.attributes.channels_included_count > 0);
  const items = [{ type: 'did_order_items' as const, attributes: { sku_id: sku?.id ?? '', qty: 1 } }];
  const order = await api.createOrders({ data: { type: 'orders', attributes: { items } } }, {}, writing);
  const { id: orderId } = body(order, 201).data;
  let { status } = body(order, 201).data.attributes;
  while (status !== 'completed') {
    await sleep(50);
    ({ status } = body(await api.readOrders(orderId, {}, reading), 200).data.attributes);
  }
  const [did] = body(await api.listDids({ filterOrderId: [orderId] }, reading), 200).data;
  say('order', order.status, status, /^44\d+$/.test(did.attributes.number));

  const change = {
    id: did.id,
    type: 'dids' as const,
    attributes: { description: 'a+b & ü', capacity_limit: null },
    relationships: { voice_in_trunk: { data: { type: 'voice_in_trunks' as const, id: trunkId } } },
  };
  const patched = await api.updateDids(did.id, { data: change }, { include: ['voice_in_trunk'] }, writing);
  const { data: changed, included } = body(patched, 200);
  const { description, capacity_limit } = changed.attributes;
  say('patch', patched.status, description, capacity_limit === null, included?.[0].id === trunkId);

  const upload = await api.createEncryptedFiles(
    {
      'encrypted_files[encryption_fingerprint]': variable('FINGERPRINT'),
      'encrypted_files[description]': `Paß ${client}`,
      'encrypted_files[file]': new Blob([readFileSync(variable('ENCRYPTED_FILE'))]),
    },
    {},
    reading,
  );
  const file = body(await api.readEncryptedFiles(body(upload, 201).data.id, {}, reading), 200);
  say('upload', upload.status, file.data.attributes.description === `Paß ${client}`);

  const held = await api.deleteVoiceInTrunks(trunkId, {}, reading);
  say('held', held.status, body(held, 422).errors[0].code);
  await api.setLinkDidsVoiceInTrunk(did.id, { data: null }, {}, writing);
  const deleted = await api.deleteVoiceInTrunks(trunkId, {}, reading);
  const again = await api.readVoiceInTrunks(trunkId, {}, reading);
  say('delete', deleted.status, again.status, body(again, 404).errors[0].title);

  const nameless = { data: { type: 'voice_in_trunks' as const, attributes: { name: '', configuration } } };
  const refused = await api.createVoiceInTrunks(nameless, {}, writing);
  const [problem] = body(refused, 422).errors;
  say('refused', refused.status, problem.source?.pointer, problem.detail);
  const stranger = await api.readBalances({}, { headers: { 'api-key': 'nobody', accept: media } });
  say('stranger', stranger.status, body(stranger, 401).errors[0].detail);
}

async function verification(): Promise<void> {
  const { key, secret } = application;
  const basic = { headers: { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` } };
  const open = { headers: { authorization: `Application ${key}` } };
  /** Options that sign what the generated function is about to send. */
  const signed = (method: string, path: string, sent?: unknown) => {
    const xTimestamp = String(Math.floor(Date.now() / 1000));
    const md5 = sent === undefined ? '' : createHash('md5').update(JSON.stringify(sent)).digest('base64');
    const type = sent === undefined ? '' : 'application/json';
    const lines = [method, md5, type, `x-timestamp:${xTimestamp}`, `/api/v1/verifications${path}`].join('\n');
    const signature = createHmac('sha256', Buffer.from(secret, 'base64url')).update(lines).digest('base64');
    return [{ xTimestamp }, { headers: { authorization: `Application ${key}:${signature}` } }] as const;
  };
  const codeFor = async (number: string): Promise<string> => {
    const query = { destination: number.slice(1), wait: 30 };
    return body(await api.listMessages(query, { headers: { 'api-key': apiKey } }), 200).messages[0].code ?? '';
  };
  const sms = { delivery_method: 'sms' as const };

  const first = `${numbers}1`;
  const start = await api.startVerification(
    { data: { destination: first, ...sms, sms: { languages: ['de-DE'] } } },
    {},
    basic,
  );
  const { data: started } = body(start, 201);
  const typed = { data: { code: await codeFor(first), ...sms } };
  const report = body(await api.reportVerificationByNumber(first, typed, {}, basic), 200);
  say('basic', start.status, started.status, started.sms?.language, report.data.status);

  const second = { data: { destination: `${numbers}2`, ...sms } };
  const begun = await api.startVerification(second, ...signed('POST', '', second));
  const { id } = body(begun, 201).data;
  const status = body(await api.readVerification(id, ...signed('GET', `/${id}`)), 200);
  const code = { data: { code: await codeFor(second.data.destination), ...sms } };
  const verified = body(await api.reportVerification(id, code, ...signed('PATCH', `/${id}`, code)), 200);
  say('application', begun.status, status.data.status, verified.data.status);

  const third = { data: { destination: `${numbers}3`, ...sms } };
  const anybody = await api.startVerification(third, {}, open);
  const last = { data: { code: await codeFor(third.data.destination), ...sms } };
  const put = body(await api.putReportVerification(body(anybody, 201).data.id, last, {}, open), 200);
  say('public', anybody.status, body(anybody, 201).data.status, put.data.status);

  const soon = await api.startVerification({ data: { destination: first, ...sms } }, {}, basic);
  const wait = (soon as { headers?: Headers }).headers?.get('retry-after') ?? '';
  say('cooldown', soon.status, body(soon, 429).errors[0].code, /^([1-9]|[12]\d|30)$/.test(wait));
  const wrong = await api.startVerification({ data: { destination: '12', ...sms } }, {}, basic);
  say('invalid', wrong.status, body(wrong, 422).errors[0].detail);
  const unknown = await api.readVerification('8f14e45f-ceea-467f-ab3f-9f2d1c6c0000', {}, basic);
  const forgery = { headers: { authorization: `Application ${key}:forged` } };
  const forged = await api.readVerification(id, { xTimestamp: '1' }, forgery);
  say('unknown', unknown.status, body(unknown, 404).errors[0].code, forged.status, body(forged, 401).errors[0].code);
}

await platform();
await verification();
