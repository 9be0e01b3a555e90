/** The guided first minute: buy → route → call → see the events, each with the real thing. */
import { expect, test } from 'vitest';
import type { PanelBrowser } from '../../support/panel-browser.ts';

export function firstMinute(panel: PanelBrowser): void {
  test('the first minute ends with events that were delivered, and the call that made them', async () => {
    const page = await panel.customer();
    await page.getByRole('link', { name: 'Guided first minute' }).click();
    for (const step of ['Buy a number', 'Route it', 'Call it'])
      await page.getByRole('button', { name: step, exact: true }).click();
    await page.getByText('The call was answered and lasted 30 seconds.').waitFor();
    const events = page.getByRole('table', { name: 'Events of the call' });
    await expect.poll(() => events.getByText('delivered').count()).toBe(3);
    expect(await events.locator('code').allTextContents()).toEqual([
      'incoming-call-start-event',
      'incoming-call-connect-event',
      'incoming-call-end-event',
    ]);
    await page.getByRole('link', { name: 'See every step of it' }).click();
    await page.getByRole('table', { name: 'Events' }).getByText('incoming-call-end-event').first().waitFor();
    await page.goBack();
    expect(panel.problems).toEqual([]);
  });
}
