/** The panel in a real browser, against those who write markup into every field and those who know ids of others. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test, vi } from 'vitest';
import { panelRegistry } from '../../src/interfaces/panel/resources.ts';
import { operatorPaths, panelPaths } from '../../src/interfaces/panel/web-files.ts';
import { injected, MarkedMarkup, unfold, writtenOn } from '../support/marked-markup.ts';
import { callWithMarkup, openHostileTrunk } from '../support/markup-call.ts';
import { seedCustomer, seedOperator } from '../support/markup-seeds.ts';
import { type Inspection, openInspection } from '../support/page-inspection.ts';
import { openPanelBrowser } from '../support/panel-browser.ts';
import { PanelClient } from '../support/panel-client.ts';
import { useOpened } from '../support/use.ts';

const panel = useOpened(openPanelBrowser);
const markup = new MarkedMarkup();
const stranger = { email: 'stranger@trunkline.test', password: 'the password of a stranger' };

/** A submission that was rejected with markup. */
let rejected = '';

/** A receiver of callbacks whose responses are markup too. */
const response = markup.text('response of a receiver');
const receiver = useOpened(async () => {
  const server = createServer((_request, reply) => reply.end(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, close: async () => void server.close() };
});

/** Equipment of the customer that answers calls with markup. */
const trunk = useOpened(() => openHostileTrunk(markup));

/** A call and a verification of the demo account. */
async function callAndVerify(customer: PanelClient): Promise<void> {
  const script = { outcomes: [{ code: 200 }], talk_seconds: 1 };
  const call = { did_number: '13325550100', src_number: '442079460001', script };
  expect((await customer.post('/sandbox/v1/calls', call)).status).toBe(201);
  const { key, secret } = panel.application;
  const started = await fetch(`${panel.url}/api/v1/verifications`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ data: { destination: '+447700900123', delivery_method: 'sms' } }),
  });
  expect(started.status).toBeLessThan(300);
}

/** Resolves when the panel has what others have sent: the responses of a receiver and of a trunk. */
async function othersSend(customer: PanelClient): Promise<void> {
  await callWithMarkup(panel.sipPort, '13325550100');
  const missing = async () => {
    const attempts = await customer.get('/panel/v1/callback_attempts');
    const traces = await customer.get('/panel/v1/call_traces?include=entries');
    const shown = `${attempts.text}${traces.text}`;
    return [response, ...trunk.texts].filter((text) => !shown.includes(MarkedMarkup.markOf(text)));
  };
  await vi.waitFor(async () => expect(await missing()).toEqual([]), { timeout: 60_000, interval: 250 });
  const calls = async () => (await customer.get('/panel/v1/calls?filter[did_number]=13325550100')).resources.length;
  await vi.waitFor(async () => expect(await calls()).toBe(2), { timeout: 60_000, interval: 250 });
}

beforeAll(async () => {
  const [customer, staff] = [new PanelClient(panel.url), new PanelClient(panel.url)];
  await customer.signIn(panel.login);
  await staff.signIn(panel.operator);
  const waiting = async () => (await staff.get('/operator/v1/submissions?filter[status]=pending')).resources.length;
  // The demo's paperwork is ready later than the rest: its keys take some seconds.
  await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), { timeout: 120_000, interval: 500 });
  await seedCustomer(markup, customer, { receiver: receiver.url, trunkPort: trunk.port });
  await callAndVerify(customer);
  await othersSend(customer);
  await customer.signIn(panel.login, { 'user-agent': markup.text('browser') });
  ({ rejected } = await seedOperator(markup, staff, stranger));
});

interface FoundLink {
  address: string;
  /** Whether its text is markup, so that the record behind it has markup too. */
  marked: boolean;
}

const linksOnPage = `[...document.querySelectorAll('main a[href]')].map((a) => ({
  address: a.getAttribute('href'),
  marked: a.textContent.includes('<img'),
}))`;

/**
 * Visits addresses, and of each kind of page that they link to one with markup and one without; returns what is written
 * there.
 */
async function visit({ page, show }: Inspection, addresses: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  const visited = new Set<string>();
  const kindOf = ({ address, marked }: FoundLink) =>
    `${address.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id').replace(/\?.*/, '')} ${marked}`;
  const queue: FoundLink[] = addresses.map((address) => ({ address, marked: false }));
  for (let link = queue.shift(); link !== undefined; link = queue.shift()) {
    const { address } = link;
    if (visited.has(kindOf(link)) && !addresses.includes(address)) continue;
    visited.add(kindOf(link));
    await show(address);
    await page.evaluate(unfold);
    expect([address, await page.evaluate(injected)]).toEqual([address, []]);
    texts.push(await page.evaluate<string>(writtenOn));
    const links = await page.evaluate<FoundLink[]>(linksOnPage);
    // What is below an interface is a download.
    queue.push(...links.filter((found) => /^\/(?!.*\/v[13]\/).*[0-9a-f]{8}-/.test(found.address)));
  }
  return texts;
}

test('markup in any field is shown as it was written, on every page of customers and operators', {
  timeout: 300_000,
}, async () => {
  const [customer, staff] = [await openInspection(panel), await openInspection(panel)];
  for (const { page } of [customer, staff]) page.on('dialog', (dialog) => panel.problems.push(dialog.message()));
  await panel.signIn(customer.page, panel.login, '/team');
  await panel.signIn(staff.page, panel.operator, '/operator/routing');
  const [theirs, ours] = await Promise.all([
    visit(customer, ['/', ...panelPaths.filter((path) => path !== 'team').map((path) => `/${path}`), '/team']),
    visit(staff, ['/operator', ...operatorPaths.map((path) => `/${path}`), `/operator/review/${rejected}`]),
  ]);
  expect(markup.unseen([...theirs, ...ours])).toEqual([]);
  expect(panel.problems).toEqual([]);
});

test('ids of another account are nobody’s: by the interface and by the address of a page', {
  timeout: 120_000,
}, async () => {
  const [owner, other] = [new PanelClient(panel.url), new PanelClient(panel.url)];
  await owner.signIn(panel.login);
  await other.signIn(stranger);
  const reached: string[] = [];
  const known: Record<string, string> = {};
  for (const { type, endpoints } of panelRegistry.all()) {
    if (!endpoints.list) continue;
    const [record] = (await owner.get(`/panel/v1/${type}?page[size]=1`)).resources;
    if (record === undefined) continue;
    known[type] = record.id;
    const path = `/panel/v1/${type}/${record.id}`;
    const body = { data: { type, id: record.id, attributes: {} } };
    const answers = [
      endpoints.read ? (await other.get(path)).status : 404,
      endpoints.update ? (await other.patch(path, body)).status : 404,
      endpoints.delete ? (await other.delete(path)).status : 404,
    ];
    if (answers.some((status) => status !== 404)) reached.push(`${path}: ${answers.join(', ')}`);
    const listed = (await other.get(`/panel/v1/${type}?page[size]=100`)).resources;
    if (listed.some(({ id }) => id === record.id)) reached.push(`${type} lists a record of another account`);
  }
  expect(reached).toEqual([]);
  expect(Object.keys(known)).toEqual(
    expect.arrayContaining(['api_keys', 'calls', 'members', 'otp_applications', 'sessions', 'verifications']),
  );
  // The demo's records are made after the start, one after another.
  const first = (type: string): Promise<string> =>
    vi.waitFor(
      async () => {
        const [record] = (await owner.get(`/v3/${type}?page[size]=1`)).resources;
        if (record === undefined) throw new Error(`there are no ${type} yet`);
        return record.id;
      },
      { timeout: 120_000, interval: 250 },
    );
  const pages = [
    `/numbers/${await first('dids')}`,
    `/orders/${await first('orders')}`,
    `/trunks/${await first('voice_in_trunks')}`,
    `/trunk-groups/${await first('voice_in_trunk_groups')}`,
    `/outbound-trunks/${await first('voice_out_trunks')}`,
    `/identities/${await first('identities')}`,
    `/registrations/${await first('address_verifications')}`,
    `/calls/${known.calls}`,
    `/verifications/${known.verifications}`,
  ];
  const { page, show } = await openInspection(panel);
  await panel.signIn(page, stranger, '/team');
  for (const address of pages) {
    await show(address);
    await page.getByRole('alert').getByText('It may have been removed, or it belongs to another account').waitFor();
  }
  for (const address of ['/operator', '/operator/accounts', '/operator/audit']) {
    await page.goto(`${panel.url}${address}`);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  }
});
