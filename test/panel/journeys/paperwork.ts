/** Registering a number: requirement → identity → address → encrypted files → submitting → the decision. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { showNumber } from '../../../web/src/parts/format.ts';
import { injected } from '../../support/marked-markup.ts';
import type { PanelBrowser } from '../../support/panel-browser.ts';

/** Its name is markup, which the page must show as it is. */
const pdf = {
  name: '"><img src=x onerror="window.pwned=1">.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4 a scanned page'),
};

/** Buys a number of a group whose requirement has a one-time document, and returns its digits. */
async function buy(panel: PanelBrowser): Promise<string> {
  const headers = { 'api-key': panel.apiKey, 'content-type': 'application/vnd.api+json' };
  const read = async (path: string) => JSON.parse(await (await fetch(`${panel.url}/v3${path}`, { headers })).text());
  const [germany] = (await read('/countries?filter[iso]=DE')).data;
  const kinds = (await read('/did_group_types?filter[name]=Toll-free')).data;
  const groups = await read(
    `/did_groups?filter[country.id]=${germany.id}&filter[did_group_type.id]=${kinds[0].id}&filter[is_available]=true&include=stock_keeping_units`,
  );
  const sku = groups.data[0].relationships.stock_keeping_units.data[0].id;
  const items = [{ type: 'did_order_items', attributes: { sku_id: sku, qty: 1 } }];
  const made = await fetch(`${panel.url}/v3/orders`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ data: { type: 'orders', attributes: { items } } }),
  });
  const order = JSON.parse(await made.text()).data.id;
  const bought = async () => (await read(`/dids?filter[order.id]=${order}`)).data[0]?.attributes.number;
  await expect.poll(bought).toBeDefined();
  return bought();
}

async function address(page: Page): Promise<void> {
  await page.getByLabel('Postal code').fill('10117');
  await page.getByLabel('City').fill('Berlin');
  await page.getByLabel('Street and house number').fill('Unter den Linden 1');
  await page.getByRole('button', { name: 'Save address' }).click();
}

async function store(page: Page, label: string): Promise<void> {
  const card = page.locator('.mantine-Paper-root').filter({ has: page.getByLabel(label) });
  await card.locator('input[type=file]').setInputFiles(pdf);
  await card.getByText(pdf.name).waitFor();
  expect(await page.evaluate(injected)).toEqual([]);
  await card.getByRole('button', { name: 'Encrypt and store' }).click();
  await card.getByText('stored').waitFor();
}

export function paperwork(panel: PanelBrowser): void {
  test('a number is registered with documents that were encrypted in the browser', async () => {
    const number = await buy(panel);
    const page = await panel.customer('/registrations/new');
    const uploads: Buffer[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/v3/encrypted_files')) uploads.push(request.postDataBuffer() ?? Buffer.of());
    });
    await page.getByRole('combobox', { name: 'Number' }).fill(number);
    await page.getByRole('option', { name: showNumber(number) }).click();
    await page.waitForURL(/number=/);
    const wizard = page.url();
    await page.getByText('signed for each submission: Letter of Authorisation').first().waitFor();
    await page.getByRole('button', { name: 'Begin' }).click();

    await page.getByLabel('First name').fill('Jane');
    await page.getByRole('button', { name: 'Save identity' }).click();
    await page.getByText("Can't be blank").first().waitFor();
    await page.getByLabel('Last name').fill('Doe');
    await page.getByLabel('Phone number').fill('442037691880');
    await page.getByRole('button', { name: 'Save identity' }).click();
    // What the submission would be refused for keeps the step open, and is mended in it.
    await page.getByText('Birth Date is required for Personal Identity').waitFor();
    const goOn = page.getByRole('button', { name: 'Go on' });
    expect(await goOn.isDisabled()).toBe(true);
    await page.getByLabel('Date of birth').fill('1990-02-03');
    await page.getByRole('button', { name: 'Save identity' }).click();

    // The requirement wants an address in Germany, so no other country can be chosen.
    await page.getByRole('heading', { name: 'A new address' }).waitFor();
    await page.getByRole('combobox', { name: 'Country' }).click();
    expect(await page.getByRole('option').allTextContents()).toEqual(['Germany']);
    await page.keyboard.press('Escape');
    await address(page);
    await page.getByText('Letter of Authorisation)').waitFor();
    expect(await goOn.isDisabled()).toBe(true);
    await store(page, 'File of proof of the identity');
    await store(page, 'File of Letter of Authorisation');
    await page.getByRole('button', { name: 'Remove For this submission' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
    await page.getByText('Letter of Authorisation)').waitFor();
    await store(page, 'File of Letter of Authorisation');
    await goOn.click();
    await page.getByText('Nothing is missing').waitFor();
    expect(uploads).toHaveLength(3);
    for (const upload of uploads) expect(upload.includes('a scanned page')).toBe(false);
    await page.getByRole('button', { name: 'Submit', exact: true }).click();

    await page.getByRole('heading', { level: 1, name: /^Registration / }).waitFor();
    await page.getByText('Jane Doe').waitFor();
    await page.getByText('awaiting registration').waitFor();
    const submitted = page.url();

    // Under review it is not offered, and asked for by its name it is not another number.
    await page.goto(wizard);
    await page.getByText(`${showNumber(number)} is under review already`).waitFor();
    expect(await page.getByRole('button', { name: 'Begin' }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Number' }).fill(number.slice(0, 8));
    await page.getByText('Nothing matches').waitFor();

    // After a rejection everything is there again, to be changed.
    await page.goto(submitted);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('link', { name: 'register again' }).click();
    await page.getByText('Nothing is missing here.').waitFor();
    expect(await page.getByLabel('Last name').inputValue()).toBe('Doe');
    await page.getByLabel('Last name').fill('Roe');
    await page.getByRole('button', { name: 'Save identity' }).click();
    await page.getByRole('heading', { name: 'Unter den Linden 1' }).waitFor();
    await goOn.click();
    await store(page, 'File of Letter of Authorisation');
    await goOn.click();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByText('Jane Roe').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('approved').waitFor();
    await page.getByText('ready').waitFor();
    expect(panel.problems).toEqual([]);
  });
}
