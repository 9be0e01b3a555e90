/** What another API version would change, seen on the account's own records before it is chosen. */
import { expect, test } from 'vitest';
import type { PanelBrowser } from '../../support/panel-browser.ts';

const media = 'application/vnd.api+json';

export function versions(panel: PanelBrowser): void {
  test('the versions are compared on own records, and another one is chosen', async () => {
    const name = 'Compared';
    const headers = { 'api-key': panel.apiKey, 'content-type': media, accept: media };
    const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.com', codec_ids: [9] } };
    const body = JSON.stringify({ data: { type: 'voice_in_trunks', attributes: { name, configuration } } });
    expect((await fetch(`${panel.url}/v3/voice_in_trunks`, { method: 'POST', headers, body })).status).toBe(201);

    const page = await panel.customer('/versions');
    const choose = async (label: string, option: string) => {
      await page.getByRole('combobox', { name: label }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await page.getByText('Now: 2026-04-16', { exact: true }).waitFor();
    await choose('Compared with', '2021-04-19');
    await choose('Record', 'A trunk');
    const lines = (title: string) => page.getByText(title).locator('..').locator('pre');
    await expect.poll(() => lines('Only in 2021-04-19').textContent()).toContain('data[].type: "trunks"');
    await expect.poll(() => lines('Only in 2026-04-16').textContent()).toContain('data[].type: "voice_in_trunks"');
    await choose('Record', 'An outbound trunk');
    await expect.poll(() => lines('Only in 2021-04-19').textContent()).toBe('–');

    const served = async () => {
      const response = await fetch(`${panel.url}/v3/balance`, { headers: { 'api-key': panel.apiKey, accept: media } });
      return ((await response.json()) as { meta: { api_version: string } }).meta.api_version;
    };
    await choose('Version', '2021-12-15');
    await page.getByText('What differs between 2026-04-16 and 2021-12-15').waitFor();
    expect(await served()).toBe('2026-04-16');
    await page.getByRole('button', { name: 'Use this version' }).click();
    await page.getByText('Now: 2021-12-15').waitFor();
    expect(await served()).toBe('2021-12-15');
    await choose('Version', '2026-04-16');
    await page.getByRole('button', { name: 'Use this version' }).click();
    await page.getByText('Now: 2026-04-16').waitFor();
    expect(await served()).toBe('2026-04-16');
  });
}
