/** Verifying a phone: an application is tried out, and the code is read from the inbox page. */
import { expect, test } from 'vitest';
import type { PanelBrowser } from '../../support/panel-browser.ts';

export function verification(panel: PanelBrowser): void {
  test('a phone is verified with the code that the inbox page shows', async () => {
    const page = await panel.customer('/applications');
    await page
      .getByRole('button', { name: /^Try it out: / })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Secret of the application').fill(panel.application.secret);
    await dialog.getByLabel('Phone to verify').fill('+447700900456');
    await dialog.getByRole('button', { name: 'Send a code' }).click();
    const [inbox] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog.getByRole('link', { name: 'phone inbox' }).click(),
    ]);
    const code = inbox.getByRole('button', { name: /^Copy code \d+/ });
    await inbox.getByRole('searchbox').fill('447700900456');
    await expect.poll(() => code.count()).toBe(1);
    const digits = /\d+$/.exec((await code.getAttribute('aria-label')) ?? '')?.[0] ?? '';
    await dialog.getByLabel('Code', { exact: true }).fill(digits === '000000' ? '000001' : '000000');
    await dialog.getByRole('button', { name: 'Report the code' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Code', { exact: true }).fill(digits);
    await dialog.getByRole('button', { name: 'Report the code' }).click();
    await dialog.getByText('The verification is verified.').waitFor();
    await inbox.close();
    await page.goto(`${panel.url}/verifications`);
    await page.getByRole('row').filter({ hasText: '+44 7700 900456' }).getByText('verified').waitFor();
    await page.getByRole('row').filter({ hasText: '+44 7700 900456' }).getByRole('link').click();
    await page.getByText('1 wrong code reported').waitFor();
  });
}
