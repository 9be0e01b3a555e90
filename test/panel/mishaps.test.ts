/**
 * What goes wrong between a person and the panel: two clicks at once, no network, an ended session, a missing file,
 * many records.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPanelBrowser } from '../support/panel-browser.ts';
import { useOpened } from '../support/use.ts';

const panel = useOpened(openPanelBrowser);

/** In a browser of its own, for what happens to the whole browser. */
async function signedIn(address: string, options: Parameters<typeof panel.open>[0] = {}): Promise<Page> {
  const page = await panel.open(options);
  await panel.signIn(page, panel.login, address);
  return page;
}

const api = async (method: string, path: string, body?: object) => {
  const headers = { 'api-key': panel.apiKey, 'content-type': 'application/vnd.api+json' };
  const response = await fetch(`${panel.url}/v3${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return JSON.parse(await response.text());
};

const writesOf = (page: Page): string[] => {
  const writes: string[] = [];
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (request.method() !== 'GET' && path !== '/panel/v1/session') writes.push(`${request.method()} ${path}`);
  });
  return writes;
};

test('two clicks in one frame write once', async () => {
  const page = await panel.customer('/identities/new');
  const writes = writesOf(page);
  await page.getByLabel('First name').fill('Twice');
  await page.getByLabel('Last name').fill('Clicked');
  await page.getByLabel('Phone number').fill('442037691880');
  await page.getByRole('button', { name: 'Add identity' }).evaluate<void, { click(): void }>((button) => {
    button.click();
    button.click();
  });
  await page.getByRole('heading', { level: 1, name: 'Twice Clicked' }).waitFor();
  expect(writes).toEqual(['POST /v3/identities']);
  expect((await api('GET', '/identities?filter[first_name]=Twice')).data).toHaveLength(1);
});

test('who is offline is told so, and nothing is sent when the connection comes back', async () => {
  const page = await signedIn('/identities/new');
  const writes = writesOf(page);
  await page.getByLabel('First name').fill('Offline');
  await page.getByLabel('Last name').fill('Person');
  await page.getByLabel('Phone number').fill('442037691880');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Add identity' }).click();
  await page.getByText('You are offline. Try again when the connection is back.').waitFor();
  writes.length = 0;
  await page.context().setOffline(false);
  // A whole page is read and shown after the connection is back; what was queued would be sent before.
  await page.getByLabel('First name').fill('Online');
  await page.getByRole('button', { name: 'Add identity' }).click();
  await page.getByRole('heading', { level: 1, name: 'Online Person' }).waitFor();
  expect(writes).toEqual(['POST /v3/identities']);
  expect((await api('GET', '/identities?filter[last_name]=Person')).data).toMatchObject([
    { attributes: { first_name: 'Online' } },
  ]);
});

test('a session that ends under a form is renewed in place, and the form is sent as it was', async () => {
  const page = await signedIn('/identities/new');
  await page.getByLabel('First name').fill('Patient');
  await page.getByLabel('Last name').fill('Typist');
  await page.getByLabel('Phone number').fill('442037691880');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Add identity' }).click();
  await page.getByText('Your session has ended').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(panel.login.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Patient Typist' }).waitFor();
  expect((await api('GET', '/identities?filter[first_name]=Patient')).data).toHaveLength(1);
});

test('on a phone an invalid field and a refusal come into view', async () => {
  const page = await signedIn('/identities/new', { viewport: { width: 390, height: 844 } });
  const inView = (locator: ReturnType<Page['getByText']>) =>
    expect.poll(() =>
      locator.evaluate<boolean, { getBoundingClientRect(): { top: number; bottom: number } }>((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= 844;
      }),
    );
  await page.getByRole('button', { name: 'Add identity' }).scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Add identity' }).click();
  const first = page.getByLabel('First name');
  await first.and(page.locator('[aria-invalid=true]:focus')).waitFor();
  await inView(first).toBe(true);
});

test('the first Tab leads past the menu to the content', async () => {
  const page = await panel.customer('/identities');
  await page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await page.locator('#content:focus').waitFor();
});

test('a page whose file cannot be loaded says so, and opens as soon as it can', async () => {
  const page = await signedIn('/');
  const files = '**/assets/simulator-*.js';
  await page.route(files, (route) => route.abort());
  await page.getByRole('button', { name: 'Pages of Sandbox tools' }).click();
  await page.getByRole('link', { name: 'Call simulator' }).click();
  await page.getByText('The page could not be loaded').waitFor();
  await page.unroute(files);
  await page.getByRole('combobox', { name: 'Number to call' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/simulator');
});

test('a field finds records beyond the first hundred', async () => {
  const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.com', codec_ids: [9] } };
  const add = (name: string) =>
    api('POST', '/voice_in_trunks', { data: { type: 'voice_in_trunks', attributes: { name, configuration } } });
  for (let n = 0; n < 10; n += 1) {
    await Promise.all(Array.from({ length: 10 }, (_, m) => add(`Many ${String(n * 10 + m).padStart(3, '0')}`)));
  }
  await add('Zulu the last');
  const [number] = (await api('GET', '/dids?page[size]=1')).data;
  const page = await signedIn(`/numbers/${number.id}`);
  const field = page.getByRole('combobox', { name: 'Trunk', exact: true });
  await field.fill('zulu');
  await page.getByRole('option', { name: 'Zulu the last' }).click();
  await page.getByRole('button', { name: 'Save route' }).click();
  await page.getByText('Saved.').waitFor();
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe('Zulu the last');
});

test('an operator gives back one item of an order', async () => {
  const skus = (await api('GET', '/did_groups?filter[is_available]=true&include=stock_keeping_units&page[size]=2'))
    .data;
  const items = skus.map((group: { relationships: { stock_keeping_units: { data: { id: string }[] } } }) => ({
    type: 'did_order_items',
    attributes: { sku_id: group.relationships.stock_keeping_units.data[0]?.id, qty: 1 },
  }));
  const { data: order } = await api('POST', '/orders', {
    data: { type: 'orders', attributes: { allow_back_ordering: false, items } },
  });
  const status = async () => (await api('GET', `/orders/${order.id}`)).data.attributes.status;
  await expect.poll(status, { timeout: 60_000 }).toBe('completed');
  const page = await panel.staff(`/operator/orders/${order.id}`);
  await page.getByRole('table', { name: 'Items' }).waitFor();
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').first().click();
  await page.getByRole('option').nth(1).click();
  await dialog.getByLabel('Reason').fill('never worked');
  await dialog.getByRole('button', { name: 'Give it back' }).click();
  await page.getByRole('table', { name: 'Refunds' }).getByText('never worked').waitFor();
  const givenBack = await page
    .getByRole('table', { name: 'Items' })
    .getByRole('row')
    .locator('td:last-child')
    .allTextContents();
  expect(givenBack[0]).toBe('$0.00');
  expect(givenBack[1]).not.toBe('$0.00');
});

test('nothing else went wrong', () => {
  // React reports what a page throws, also where the panel handles it.
  expect(panel.problems.filter((problem) => !problem.includes('The page could not be loaded.'))).toEqual([]);
});
