/** The page of a call shows how it sounded: a real call between two phones, and one in which a side sends nothing. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { openPanelBrowser, screenshots } from '../support/panel-browser.ts';
import { usePhones } from '../support/phones.ts';
import { numberAt, v3 } from '../support/ringing-number.ts';
import { useOpened } from '../support/use.ts';

const panel = useOpened(openPanelBrowser);
const openPhone = usePhones();

async function openNewestCall(from: string) {
  const page = await panel.customer('/calls');
  await page.locator('main tbody tr').filter({ hasText: from }).getByRole('link').first().click();
  const sound = page.getByRole('region', { name: 'How it sounded' });
  await sound.waitFor();
  return { page, sound };
}

test('a good call has a line for each side, its figures, and the same as a table', async () => {
  const callee = await openPhone({});
  const number = await numberAt(panel, callee.target.port);
  const server = { transport: 'UDP', address: '127.0.0.1', port: panel.sipPort } as const;
  const caller = await openPhone({ server, user: '442079460101', hangUpAfterMs: 11_500 });
  await caller.phone.call(number);
  await caller.until('ended');
  const { page, sound } = await openNewestCall('+44 20 7946 0101');
  const figures = sound.getByRole('table', { name: 'What was heard of each side' });
  const heard = await figures.getByRole('row', { name: 'Sounded' }).getByRole('cell').allTextContents();
  expect(heard).toEqual([expect.stringMatching(/^good, MOS 4\.\d$/), expect.stringMatching(/^good, MOS 4\.\d$/)]);
  expect(await figures.getByRole('row', { name: 'Packets' }).textContent()).toContain('of PCM');
  const figure = sound.getByRole('figure');
  expect(await figure.locator('polyline').count()).toBe(2);
  const course = figure.getByRole('table', { name: 'Estimated quality (MOS) during the call: The caller' });
  expect(await course.getByRole('row').count()).toBe(2);
  expect(await course.getByRole('row').first().textContent()).toMatch(/MOS 4\.\d0 lost, jitter \d+ ms/);
  expect(await sound.getByRole('alert').count()).toBe(0);
  await page.screenshot({ path: path.join(screenshots, 'call-sound.png'), fullPage: true });

  // The trunk's page has the figures of its day.
  const trunks = await v3(panel, 'GET', `/voice_in_trunks?filter[name]=phone ${callee.target.port}`);
  await page.goto(`${panel.url}/trunks/${trunks[0].id}`);
  const day = page.getByRole('table', { name: 'How its calls sounded in the last 24 hours' });
  await expect.poll(() => day.getByRole('row', { name: 'Your side sent' }).textContent()).toMatch(/MOS 4\.\d+/);
  expect(panel.problems).toEqual([]);
});

test('a side that sends nothing is named', async () => {
  const callee = await openPhone({ play: () => [] });
  const number = await numberAt(panel, callee.target.port);
  const server = { transport: 'UDP', address: '127.0.0.1', port: panel.sipPort } as const;
  const caller = await openPhone({ server, user: '442079460102', hangUpAfterMs: 3_000 });
  await caller.phone.call(number);
  await caller.until('ended');
  const { sound } = await openNewestCall('+44 20 7946 0102');
  expect(await sound.getByRole('alert').textContent()).toContain('Your trunk sent nothing.');
});
