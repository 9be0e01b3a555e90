/** Every page, light and dark, on a phone and a desktop: nothing is cut off, and axe finds no serious violation. */
import { beforeAll, expect, test, vi } from 'vitest';
import { operatorPaths, panelPaths } from '../../src/interfaces/panel/web-files.ts';
import { openInspection } from '../support/page-inspection.ts';
import { openPanelBrowser } from '../support/panel-browser.ts';
import { PanelClient } from '../support/panel-client.ts';
import { usePhones } from '../support/phones.ts';
import { numberAt } from '../support/ringing-number.ts';
import { useOpened } from '../support/use.ts';

const panel = useOpened(openPanelBrowser);
const openPhone = usePhones();

/** Addresses of all pages; those of single records are those of the first in their list. */
const addresses: { name: string; path: string }[] = panelPaths.map((name) => ({ name, path: `/${name}` }));

/** The id of the first record; the demo's records are made after the start, one after another. */
const read = (url: string): Promise<string> =>
  vi.waitFor(
    async () => {
      const response = await fetch(`${panel.url}/v3${url}`, { headers: { 'api-key': panel.apiKey } });
      return JSON.parse(await response.text()).data[0].id;
    },
    { timeout: 120_000, interval: 250 },
  );

beforeAll(async () => {
  // A call and a verification of today, so that no page is empty.
  const headers = { 'api-key': panel.apiKey, 'content-type': 'application/json' };
  const dids = await fetch(`${panel.url}/v3/dids`, { headers });
  const number = JSON.parse(await dids.text()).data[0].attributes.number;
  // Events of the call, whose bodies are long lines.
  const client = new PanelClient(panel.url);
  await client.signIn(panel.login);
  const endpoint = { stream: 'voice_in_events', url: `${panel.url}/panel/v1/event_receiver` };
  const body = { data: { type: 'call_event_endpoints', attributes: endpoint } };
  expect((await client.post('/panel/v1/call_event_endpoints', body)).status).toBe(201);
  const script = { outcomes: [{ code: 200, ring_seconds: 2 }], talk_seconds: 30 };
  const call = { did_number: number, src_number: '442079460001', script };
  await fetch(`${panel.url}/sandbox/v1/calls`, { method: 'POST', headers, body: JSON.stringify(call) });
  addresses.push(
    { name: 'dashboard', path: '/' },
    { name: 'buy-country', path: '/buy?country=GB' },
    { name: 'trunk-new', path: '/trunks/new' },
    { name: 'number', path: `/numbers/${await read('/dids')}` },
    { name: 'order', path: `/orders/${await read('/orders')}` },
    { name: 'trunk', path: `/trunks/${await read('/voice_in_trunks')}` },
    { name: 'group', path: `/buy/${await read('/did_groups?filter[available_dids_enabled]=true')}` },
    { name: 'trunk-group-new', path: '/trunk-groups/new' },
    { name: 'outbound-trunk-new', path: '/outbound-trunks/new' },
    { name: 'outbound-trunk', path: `/outbound-trunks/${await read('/voice_out_trunks')}` },
    { name: 'identity', path: `/identities/${await read('/identities')}` },
    { name: 'identity-new', path: '/identities/new' },
    { name: 'registration-new', path: '/registrations/new' },
    { name: 'calls-out', path: '/calls?direction=out' },
    { name: 'missing', path: '/numbers/00000000-0000-4000-8000-000000000000' },
  );
});

/** A real call while pages are looked at: long enough for a graph, and the called side is not heard. */
async function callWithSound(from: string) {
  const callee = await openPhone({ play: () => [] });
  const number = await numberAt(panel, callee.target.port);
  const server = { transport: 'UDP', address: '127.0.0.1', port: panel.sipPort } as const;
  const caller = await openPhone({ server, user: from, hangUpAfterMs: 11_500 });
  await caller.phone.call(number);
  return caller;
}

const everyPage = async (): Promise<string[]> => {
  const from = '442079460103';
  const caller = await callWithSound(from);
  const { page, found, show, inspect, prepare } = await openInspection(panel);
  await page.goto(panel.url);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await prepare();
  await inspect('sign-in');
  await page.getByRole('button', { name: 'Forgotten your password?' }).click();
  await page.getByText('This server sends no e-mails').waitFor();
  await inspect('forgotten-password');
  await panel.signIn(page, panel.login);
  await prepare();
  for (const address of addresses) {
    await show(address.path);
    await inspect(address.name);
  }
  await show(`/registrations/${await read('/address_verifications')}`);
  await inspect('registration');
  for (const type of ['calls', 'verifications'] as const) {
    await show(`/${type}`);
    await show((await page.locator(`main tbody a[href*="/${type}/"]`).first().getAttribute('href')) ?? '');
    await inspect(`${type}-one`);
  }
  await caller.until('ended');
  await show('/calls');
  const sounded = page.locator('main tbody tr').filter({ hasText: '+44 20 7946 0103' }).getByRole('link').first();
  await show((await sounded.getAttribute('href')) ?? '');
  const sound = page.getByRole('region', { name: 'How it sounded' });
  await sound.getByRole('figure').waitFor();
  await sound.getByRole('alert').waitFor();
  await inspect('call-sound');
  return found;
};

/** Writes over /operator/v1, and returns the id of the new record. */
async function write(type: string, attributes: object, links: Record<string, [type: string, id: string]> = {}) {
  const relationships = Object.fromEntries(
    Object.entries(links).map(([name, [linked, id]]) => [name, { data: { type: linked, id } }]),
  );
  const response = await fetch(`${panel.url}/operator/v1/${type}`, {
    method: 'POST',
    headers: { 'api-key': panel.operatorKey, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type, attributes, relationships } }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(201);
  return String(JSON.parse(text).data.id);
}

/** Records of operators that a first start has none of, so that their pages are not empty. */
async function furnish(): Promise<void> {
  const carrier = await write('carriers', {
    ...{ name: 'Northern Voice', host: 'sip.northern.example', transport: 'tls', addresses: ['192.0.2.0/24'] },
    ...{ username: 'trunkline', password: 'hidden', emergency_countries: ['GB'] },
  });
  const settings = {
    ...{ url: 'https://sms.example/v1/send', message_id: '"id":"([^"]+)"' },
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer {{SECRET}}' },
    receipt: { message_id: '"id":"([^"]+)"', delivered: '"delivered"', failed: '"failed"' },
  };
  const provider = await write('providers', { name: 'swift-sms', kind: 'http', settings, secret: 'hidden' });
  await write('carrier_routes', { prefix: '44', priority: 5 }, { carrier: ['carriers', carrier] });
  await write('provider_routes', { delivery_method: 'sms' }, { provider: ['providers', provider] });
  await write('peer_tests', { destination: '447700900123' }, { provider: ['providers', provider] });
  await write('prefix_blocks', { prefix: '88213', mode: 'block', reason: 'Codes to it never come back' });
  await write('prefix_blocks', { prefix: '4477', mode: 'safe', reason: 'Our own offices' });
  await write('stock_actions', { action: 'quarantine', number_prefix: '1332555', reason: 'Complaints about calls' });
}

/** The pages of operators; those of single records are those of the first in their list. */
const everyOperatorPage = async (): Promise<string[]> => {
  await furnish();
  const { page, found, show, inspect, prepare } = await openInspection(panel);
  await panel.signIn(page, panel.operator);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await prepare();
  await inspect('operator');
  for (const path of operatorPaths) {
    await show(`/${path}`);
    await inspect(path.replaceAll('/', '-'));
  }
  for (const type of ['accounts', 'numbers', 'orders', 'review', 'carriers', 'providers'] as const) {
    await show(`/operator/${type}`);
    const record = page.locator(`main tbody a[href*="/operator/${type}/"]`).first();
    const address = (await record.getAttribute('href')) ?? '';
    await show(address);
    await inspect(`operator-${type}-one`);
    if (type !== 'accounts') continue;
    await show(`${address}/statement`);
    await show(`${address}/billing`);
    await inspect('operator-statement');
  }
  // Two pages with the same title do not follow one another: a page is known to be shown by its title.
  const others = [
    { name: 'operator-calls-in', path: '/operator/calls?direction=in' },
    { name: 'operator-login', path: '/login' },
    { name: 'operator-calls-out', path: '/operator/calls?direction=out' },
    { name: 'operator-sessions', path: '/sessions' },
    { name: 'operator-carrier-new', path: '/operator/carriers/new' },
    { name: 'operator-provider-new', path: '/operator/providers/new' },
    { name: 'operator-stock-held', path: '/operator/stock?view=held' },
  ];
  for (const { name, path } of others) {
    await show(path);
    await inspect(name);
  }
  return found;
};

test('every page can be read, on a desktop and on a phone, light and dark', { timeout: 900_000 }, async () => {
  // Those of customers and of operators at the same time: each waits now and then while the other is looked at.
  const found = await Promise.all([everyPage(), everyOperatorPage()]);
  expect(found.flat()).toEqual([]);
  expect(panel.problems).toEqual([]);
});
