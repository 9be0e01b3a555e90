/** The panel against those who know ids of others, with records that are full of markup. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test, vi } from 'vitest';
import { panelRegistry } from '../../src/panel/resources.ts';
import { MarkedMarkup } from '../support/marked-markup.ts';
import { seedCustomer, seedOperator, sendInvite } from '../support/markup-seeds.ts';
import { looks, openInspection } from '../support/page-inspection.ts';
import { openPanelBrowser } from '../support/panel-browser.ts';
import { PanelClient } from '../support/panel-client.ts';
import { useOpened } from '../support/use.ts';

const panel = useOpened(openPanelBrowser);
const markup = new MarkedMarkup();
const stranger = { email: 'stranger@trunkline.test', password: 'the password of a stranger' };

/** A receiver of callbacks whose responses are markup too. */
const receiver = useOpened(async () => {
  const server = createServer((_request, response) => response.end(markup.text('response of a receiver')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, close: async () => void server.close() };
});

beforeAll(async () => {
  const [customer, staff] = [new PanelClient(panel.url), new PanelClient(panel.url)];
  await customer.signIn(panel.login);
  await staff.signIn(panel.operator);
  const waiting = async () => (await staff.get('/operator/v1/submissions?filter[status]=pending')).resources.length;
  // The demo's paperwork is ready later than the rest: its keys take some seconds.
  await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), { timeout: 120_000, interval: 500 });
  await seedCustomer(markup, customer, { receiver: receiver.url });
  // A call whose equipment sends markup in every header, which the traces of calls show.
  await sendInvite(markup, panel.sipPort, '13325550100');
  await customer.signIn(panel.login, { 'user-agent': markup.text('browser') });
  await seedOperator(markup, staff, stranger);
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
  const first = async (type: string) => (await owner.get(`/v3/${type}?page[size]=1`)).resources[0]?.id ?? '';
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
  const { page, show } = await openInspection(panel, looks[0]);
  await panel.signInAs(page, stranger, '/team');
  for (const address of pages) {
    await show(address);
    await page.getByRole('alert').getByText('It may have been removed, or it belongs to another account').waitFor();
  }
  for (const address of ['/operator', '/operator/accounts', '/operator/audit']) {
    await page.goto(`${panel.url}${address}`);
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  }
});
