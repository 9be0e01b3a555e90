/** What a customer does in the panel, in a real browser on a real first start. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPanelBrowser } from '../support/panel-browser.ts';
import { useOpened } from '../support/use.ts';
import { deliveries } from './journeys/deliveries.ts';
import { firstMinute } from './journeys/first-minute.ts';
import { paperwork } from './journeys/paperwork.ts';
import { verification } from './journeys/verification.ts';
import { versions } from './journeys/versions.ts';
import { waterfalls } from './journeys/waterfalls.ts';

const panel = useOpened(openPanelBrowser);

// Each of these is a journey of its own; they share the server and the browser.
firstMinute(panel);
paperwork(panel);
verification(panel);
deliveries(panel);
versions(panel);
waterfalls(panel);

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

test('buys a number, routes it, calls it, and finds the call', async () => {
  const page = await panel.customer();
  await heading(page, 'Home');

  await page.getByRole('button', { name: 'Pages of Numbers' }).click();
  await page.getByRole('link', { name: 'Buy numbers' }).first().click();
  await page.getByRole('searchbox', { name: 'Country' }).fill('kingdom');
  await page.getByRole('link', { name: 'United Kingdom' }).click();
  await page.waitForURL(/country=GB/);
  const group = page.getByRole('row').filter({ hasNotText: 'paperwork' }).getByRole('link').first();
  await group.click();
  await page.getByRole('radiogroup', { name: 'Offer' }).waitFor();
  await page.getByLabel('Contains these digits').waitFor();
  const pick = page.getByRole('button', { name: /^Add to cart: \+44/ }).first();
  const number = ((await pick.getAttribute('aria-label')) ?? '').replace('Add to cart: ', '');
  // By its own name: the list may be read again in between, and begin with another number.
  await page.getByRole('button', { name: `Add to cart: ${number}` }).click();
  await page.getByRole('button', { name: `In cart: ${number}` }).waitFor();

  await page.getByRole('link', { name: 'Cart' }).first().click();
  await page.getByText(/held for (9|10):\d\d/i).waitFor();
  await page.getByRole('button', { name: 'Order and pay' }).click();
  await page.getByText('The numbers are yours').waitFor({ timeout: 120_000 });
  await page.getByRole('link', { name: number }).click();
  await heading(page, number);
  const numberUrl = page.url();

  await page.getByRole('link', { name: 'Add a trunk' }).click();
  await page.getByLabel('Name').fill('Journey');
  await page.getByRole('button', { name: 'Add trunk' }).click();
  await page.getByText("Can't be blank").waitFor();
  await page.getByRole('textbox', { name: 'Host', exact: true }).fill('sip.example.com');
  await page.getByRole('button', { name: 'Add trunk' }).click();
  await page.getByRole('link', { name: 'Journey', exact: true }).waitFor();

  await page.goto(numberUrl);
  await page.getByRole('combobox', { name: 'Trunk', exact: true }).click();
  await page.getByRole('option', { name: 'Journey' }).click();
  await page.getByRole('button', { name: 'Save route' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByLabel('Your own note').fill('front desk');
  await page.getByRole('button', { name: 'Save description' }).click();
  await page.getByText('front desk').first().waitFor();

  await page.getByRole('button', { name: 'Pages of Sandbox tools' }).click();
  await page.getByRole('link', { name: 'Call simulator' }).click();
  await page.getByRole('combobox', { name: 'Number to call' }).click();
  await page.getByRole('option', { name: number }).click();
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByText('The call was answered and has ended').waitFor();
  await page.getByRole('link', { name: 'All calls' }).click();
  await page.getByRole('row').filter({ hasText: number }).getByText('answered').waitFor();

  await page.goto(`${panel.url}/numbers?q=front desk`);
  await page.getByRole('row').filter({ hasText: number }).getByText('Journey').waitFor();
  expect(panel.problems).toEqual([]);
});

test('a list lives in its URL, has columns to choose, and becomes CSV', async () => {
  const page = await panel.customer('/numbers');
  await page.getByRole('table', { name: 'numbers' }).waitFor();
  const rows = await page.getByRole('row').count();
  expect(rows).toBeGreaterThan(4);
  await page.getByRole('button', { name: 'Number', exact: true }).click();
  await page.waitForURL(/sort=number/);
  await page
    .getByRole('columnheader', { name: /Number/ })
    .and(page.locator('[aria-sort=ascending]'))
    .waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Bought' }).click();
  await page.getByRole('columnheader', { name: 'Bought' }).waitFor();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('columnheader', { name: 'Bought' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines).toHaveLength(rows);
  expect(lines[0]).toContain('"Number"');
  await page.getByRole('searchbox').fill('nothing has this description');
  await page.getByText('Nothing matches').waitFor();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await page.getByRole('table', { name: 'numbers' }).waitFor();
});

test('makes an API key that works, shows the page as a request, and revokes the key', async () => {
  const page = await panel.customer('/keys');
  await page.getByLabel('Name of the new key').fill('from the panel');
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('status').getByText(/^tl_sandbox_/);
  const key = (await shown.textContent()) ?? '';
  const ask = async () => (await fetch(`${panel.url}/v3/balance`, { headers: { 'api-key': key } })).status;
  expect(await ask()).toBe(200);
  await page.getByRole('button', { name: 'Revoke from the panel' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page
    .getByRole('row', { name: /from the panel/ })
    .getByText('revoked')
    .waitFor();
  await expect.poll(ask).toBe(401);
  await page.goto(`${panel.url}/trunks`);
  await page.getByRole('table', { name: 'trunks' }).waitFor();
  await page.getByRole('button', { name: 'Show as request' }).click();
  const line =
    (await page
      .getByRole('dialog')
      .getByText(/^curl -g/)
      .first()
      .textContent()) ?? '';
  expect(line).toContain(`${panel.url}/v3/voice_in_trunks?`);
  expect(line).toContain("-H 'api-key: YOUR_KEY'");
  await page.getByRole('dialog').getByText('Python', { exact: true }).click();
  await page.getByRole('dialog').getByText(`"${panel.url}/v3/voice_in_trunks?`).waitFor();
});

test('verifies a phone with the code that arrives in the inbox while one looks', async () => {
  const page = await panel.customer('/inbox');
  await page.getByRole('searchbox').fill('447700900123');
  const authorization = `Basic ${Buffer.from(`${panel.application.key}:${panel.application.secret}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const started = await fetch(`${panel.url}/api/v1/verifications`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ data: { destination: '+447700900123', delivery_method: 'sms' } }),
  });
  expect(started.status).toBeLessThan(300);
  const code = page.getByRole('button', { name: /^Copy code \d+/ }).first();
  await code.waitFor();
  expect(await code.getAttribute('aria-label')).toMatch(/\d{6}$/);
  const tags = page.getByRole('group', { name: 'Tags' });
  await tags.getByRole('button', { name: 'SMS' }).click();
  await page.waitForURL(/tag=SMS/);
  await code.waitFor();
  await page.getByText('&wait=30').waitFor();
});

test('a call appears while one looks, and ends; its route can be tested', async () => {
  const page = await panel.customer('/calls');
  await page.getByText('No call is active now').waitFor();
  const headers = { 'api-key': panel.apiKey, 'content-type': 'application/json' };
  const routed = await fetch(`${panel.url}/v3/dids?include=voice_in_trunk&page[size]=100`, { headers });
  const dids: {
    id: string;
    attributes: { number: string };
    relationships: { voice_in_trunk: { data: { id: string } | null } };
  }[] = JSON.parse(await routed.text()).data;
  const did = dids.find(({ relationships }) => relationships.voice_in_trunk.data !== null);
  const script = { outcomes: [{ code: 200 }], talk_seconds: null };
  const body = JSON.stringify({ did_number: did?.attributes.number, src_number: '442079460009', script });
  const placed = await fetch(`${panel.url}/sandbox/v1/calls`, { method: 'POST', headers, body });
  const { id } = JSON.parse(await placed.text());
  const active = page.getByRole('table', { name: 'Active calls' }).getByText('+44 20 7946 0009');
  await active.waitFor();
  await fetch(`${panel.url}/sandbox/v1/calls/${id}/hangup`, { method: 'POST', headers: { 'api-key': panel.apiKey } });
  await active.waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: '+44 20 7946 0009' }).getByText('answered').waitFor();
  await page.goto(`${panel.url}/numbers/${did?.id}`);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/^Rings at/).waitFor();
  await page.goto(`${panel.url}/trunks/${did?.relationships.voice_in_trunk.data?.id}`);
  await page.getByRole('combobox', { name: 'Call to' }).waitFor();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/^Rings at/).waitFor();
});

test('⌘K goes to pages and finds numbers; the clock moves and the session stays', async () => {
  const page = await panel.customer();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Find a page, number, order or call').fill('clock');
  await page.keyboard.press('Enter');
  await heading(page, 'Clock');
  await page.getByRole('button', { name: '+ 31 days' }).click();
  await page.getByText(/3\d d .*ahead/).waitFor({ timeout: 60_000 });
  await page.reload();
  await heading(page, 'Clock');
});

test('something goes wrong on demand, as often as it was asked for, and is removed', async () => {
  const page = await panel.customer('/scenarios');
  await page.getByRole('region', { name: 'Fixed values' }).getByText('known_code').waitFor();
  await page.getByText('Everything works').waitFor();
  await page.getByRole('button', { name: 'Make something fail' }).click();
  await page.getByLabel('Path').fill('/v3/export*');
  await page.getByRole('button', { name: 'Start it' }).click();
  const row = page.getByRole('table', { name: 'What goes wrong' }).getByRole('row').last();
  await row.getByText('is refused with 503').waitFor();
  const ask = async () => (await fetch(`${panel.url}/v3/exports`, { headers: { 'api-key': panel.apiKey } })).status;
  expect([await ask(), await ask()]).toEqual([503, 200]);
  await page.getByRole('button', { name: 'Remove: is refused with 503' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Everything works').waitFor();
});

test('an OTP application is made, changed, gets a new secret and is deleted', async () => {
  const page = await panel.customer('/applications');
  await page.getByRole('button', { name: 'New application' }).click();
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByText(/can't be blank|needs a name/i).waitFor();
  await page.getByLabel('Name').fill('shop');
  await page.getByRole('button', { name: 'Create application' }).click();
  const secret = page.getByRole('status').locator('code').last();
  const first = await secret.textContent();
  await page.getByRole('button', { name: 'New secret for shop' }).click();
  await page.getByRole('button', { name: 'New secret', exact: true }).click();
  await expect.poll(() => secret.textContent()).not.toBe(first);
  await page.getByRole('button', { name: 'Delete shop' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('row', { name: /shop/ }).waitFor({ state: 'detached' });
});

test('signing out ends the session in every tab', async () => {
  const page = await panel.open();
  await panel.signIn(page, panel.login, '/sessions');
  const other = await page.context().newPage();
  await other.goto(`${panel.url}/orders`);
  await other.getByRole('heading', { name: 'Orders' }).waitFor();
  await page.getByRole('button', { name: 'Demo', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await other.reload();
  await other.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('the password of a trunk is shown after a click, and saving the trunk leaves it as it is', async () => {
  const headers = { 'api-key': panel.apiKey, 'content-type': 'application/vnd.api+json' };
  const trunk = async (method: string, path: string, attributes?: object) => {
    const body = attributes && JSON.stringify({ data: { type: 'voice_in_trunks', attributes } });
    const response = await fetch(`${panel.url}/v3${path}`, { method, headers, ...(body ? { body } : {}) });
    const { data } = JSON.parse(await response.text());
    return { id: String(data.id), password: String(data.attributes.configuration.attributes.incoming_auth_password) };
  };
  const { id, password } = await trunk('POST', '/voice_in_trunks', {
    name: 'Registers',
    configuration: { type: 'sip_configurations', attributes: { enabled_sip_registration: true, codec_ids: [9] } },
  });
  const page = await panel.customer(`/trunks/${id}`);
  await page.getByText('Register with').waitFor();
  expect(await page.getByText(password).count()).toBe(0);
  await page.getByRole('button', { name: 'Show password' }).click();
  await page.getByText(password).waitFor();
  await page.getByRole('button', { name: 'Save trunk' }).click();
  await page.getByRole('link', { name: 'Registers', exact: true }).waitFor();
  expect(await trunk('GET', `/voice_in_trunks/${id}`)).toEqual({ id, password });
});

test('what a trunk sets about media and key presses', async () => {
  const headers = { 'api-key': panel.apiKey, 'content-type': 'application/vnd.api+json' };
  const usual = { host: 'pbx.example.com', codec_ids: [9], tx_dtmf_format_id: 3, stir_shaken_mode: 'pai' };
  const attributes = { name: 'Media', configuration: { type: 'sip_configurations', attributes: usual } };
  const body = JSON.stringify({ data: { type: 'voice_in_trunks', attributes } });
  const made = await fetch(`${panel.url}/v3/voice_in_trunks`, { method: 'POST', headers, body });
  const address = `/voice_in_trunks/${JSON.parse(await made.text()).data.id}`;
  const stored = async () => {
    const response = await fetch(`${panel.url}/v3${address}`, { headers });
    return JSON.parse(await response.text()).data.attributes.configuration.attributes;
  };
  const before = await stored();
  const page = await panel.customer(address.replace('voice_in_trunks', 'trunks'));
  const choose = async (name: string, option: string) => {
    await page.getByRole('combobox', { name }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await page.getByRole('button', { name: 'Media and key presses' }).click();
  await choose('Media encryption', 'SRTP, keys by DTLS');
  await choose('Key presses from you', 'In either');
  await page.getByRole('switch', { name: 'Send media to where it comes from' }).check();
  await page.getByRole('switch', { name: 'Open a NAT with empty packets first' }).check();
  await page.getByRole('switch', { name: 'Where RTCP comes from says nothing about RTP' }).check();
  const seconds = page.getByRole('textbox', { name: 'Silence limit' });
  await seconds.fill('');
  await page.getByRole('combobox', { name: 'Media addresses' }).fill('somewhere');
  // Errors unfold the section that they are in, and stand at their fields.
  await page.getByRole('button', { name: 'Media and key presses' }).click();
  await page.getByRole('button', { name: 'Save trunk' }).click();
  await page.getByText('must be greater than or equal to 5').waitFor();
  await page.getByText('is invalid').waitFor();
  expect(await stored()).toEqual(before);
  await seconds.fill('45');
  await page.getByRole('combobox', { name: 'Media addresses' }).press('Backspace');
  await page.getByRole('combobox', { name: 'Media addresses' }).fill('192.0.2.0/24');
  await page.getByRole('button', { name: 'Save trunk' }).click();
  await page.getByRole('link', { name: 'Media', exact: true }).waitFor();
  // The rest stays as it is, also what the form does not show.
  expect(await stored()).toEqual({
    ...before,
    ...{ media_encryption_mode: 'srtp_dtls', rx_dtmf_format_id: 3, tx_dtmf_format_id: 3, rtp_timeout: 45 },
    ...{ force_symmetric_rtp: true, rtp_ping: true, symmetric_rtp_ignore_rtcp: true },
    allowed_rtp_ips: ['192.0.2.0/24'],
  });
});

test('an outbound trunk for a Twilio account', async () => {
  const page = await panel.customer('/outbound-trunks/new');
  await page.getByRole('textbox', { name: 'Name' }).fill('From Twilio');
  await page.getByRole('combobox', { name: 'Authentication' }).click();
  expect(await page.getByRole('option', { name: /addresses alone/ }).count()).toBe(0);
  await page.getByRole('option', { name: /Twilio account/ }).click();
  expect(await page.getByRole('combobox', { name: 'SIP addresses' }).count()).toBe(0);
  await page.getByRole('textbox', { name: 'Twilio account' }).fill('AC12');
  await page.getByRole('button', { name: 'Add outbound trunk' }).click();
  await page.getByText('is invalid').waitFor();
  const sid = `AC${'0f'.repeat(16)}`;
  await page.getByRole('textbox', { name: 'Twilio account' }).fill(sid);
  await page.getByRole('button', { name: 'Add outbound trunk' }).click();
  await page.getByRole('heading', { level: 1, name: 'From Twilio' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Twilio account' }).inputValue()).toBe(sid);
  const response = await fetch(`${panel.url}/v3/voice_out_trunks?filter[name]=From+Twilio`, {
    headers: { 'api-key': panel.apiKey },
  });
  const authentication_method = { type: 'twilio', attributes: { twilio_account_sid: sid } };
  expect(JSON.parse(await response.text()).data).toMatchObject([{ attributes: { authentication_method } }]);
});

test('a new outbound trunk takes ten calls at a time unless the customer says otherwise', async () => {
  const page = await panel.customer('/outbound-trunks/new');
  await page.getByRole('textbox', { name: 'Name' }).fill('Dialer');
  await page.getByRole('combobox', { name: 'SIP addresses' }).fill('192.0.2.7');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Calls at a time').inputValue()).toBe('10');
  await page.getByRole('combobox', { name: 'Media addresses' }).fill('192.0.2.0/24');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Add outbound trunk' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dialer' }).waitFor();
  const response = await fetch(`${panel.url}/v3/voice_out_trunks?filter[name]=Dialer`, {
    headers: { 'api-key': panel.apiKey },
  });
  expect(JSON.parse(await response.text()).data).toMatchObject([
    { attributes: { capacity_limit: 10, allowed_rtp_ips: ['192.0.2.0/24'] } },
  ]);
});
