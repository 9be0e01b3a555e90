/** Deliveries that failed: seen in the log with request and response, and sent again one by one or by a period. */
import { expect, test } from 'vitest';
import type { PanelBrowser } from '../../support/panel-browser.ts';
import { startReceiver } from '../../support/receiver.ts';

export function deliveries(panel: PanelBrowser): void {
  test('a callback that failed is sent again, one alone and all of a period', async () => {
    const receiver = await startReceiver(500);
    try {
      const page = await panel.customer('/callbacks');
      const send = async (path: string) => {
        await page.getByRole('button', { name: 'Send a test' }).click();
        await page.getByLabel('Receiver').fill(`${receiver.url}/${path}`);
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        await page.getByRole('row').filter({ hasText: path }).getByText('500').waitFor();
      };
      // A session has no API key that could sign, so the account needs a secret first; the panel says so.
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByLabel('Receiver').fill(receiver.url);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Set a secret first').waitFor();
      await page.keyboard.press('Escape');
      await page.getByLabel('Secret', { exact: true }).fill('a secret of this journey');
      await page.getByRole('button', { name: 'Set secret' }).click();
      await page.getByText('A secret of your own signs all callbacks.').waitFor();
      await send('first');
      await send('second');
      receiver.answers = [200];
      await page.getByRole('row').filter({ hasText: 'first' }).getByRole('link').click();
      await page.getByText('answer 1').waitFor();
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('delivered', { exact: true }).waitFor();
      await expect.poll(() => page.getByText(/^POST .*\/first/).count()).toBe(3);
      await page.goBack();

      await page.getByRole('button', { name: 'Send again …' }).click();
      await page.getByRole('switch', { name: 'Only those that failed' }).click();
      await page.getByRole('button', { name: 'Send again', exact: true }).click();
      await page.getByText(/^\d+ callbacks are sent again\./).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('row').filter({ hasText: 'second' }).getByText('delivered').waitFor();
      expect(receiver.received.filter(({ url }) => url.endsWith('/second')).length).toBeGreaterThanOrEqual(2);
    } finally {
      await receiver.close();
    }
  });
}
