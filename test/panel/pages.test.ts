/** Every page, light and dark, on a phone and a desktop: written as a picture, and without a serious violation of axe. */
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { panelPaths } from '../../src/panel/web-files.ts';
import { openPanelBrowser, screenshots } from '../support/panel-browser.ts';
import { useOpened } from '../support/use.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const panel = useOpened(openPanelBrowser);

const looks = [
  { name: 'desktop-light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'desktop-dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { name: 'phone-light', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  { name: 'phone-dark', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
] as const;

/** Addresses of all pages; those of single records are those of the first in their list. */
const addresses: { name: string; path: string }[] = panelPaths.map((name) => ({ name, path: `/${name}` }));

beforeAll(async () => {
  const read = async (url: string): Promise<string> => {
    const response = await fetch(`${panel.url}/v3${url}`, { headers: { 'api-key': panel.apiKey } });
    return JSON.parse(await response.text()).data[0].id;
  };
  addresses.push(
    { name: 'dashboard', path: '/' },
    { name: 'buy-country', path: '/buy?country=GB' },
    { name: 'trunk-new', path: '/trunks/new' },
    { name: 'number', path: `/numbers/${await read('/dids')}` },
    { name: 'order', path: `/orders/${await read('/orders')}` },
    { name: 'trunk', path: `/trunks/${await read('/voice_in_trunks')}` },
    { name: 'group', path: `/buy/${await read('/did_groups?filter[available_dids_enabled]=true')}` },
    { name: 'missing', path: '/numbers/00000000-0000-4000-8000-000000000000' },
  );
});

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe });
  const { violations: found } = await page.evaluate<{ violations: Violation[] }>('axe.run()');
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

describe.each(looks)('$name', ({ name, ...look }) => {
  test('every page', { timeout: 300_000 }, async () => {
    // axe is put into the page by the test, which the page's own policy forbids.
    const page = await panel.open({ ...look, bypassCSP: true });
    await page.goto(panel.url);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.screenshot({ path: path.join(screenshots, `sign-in.${name}.png`) });
    const found = [await violations(page)].flat().map((each) => `sign-in: ${each}`);
    await panel.signIn(page);
    for (const address of addresses) {
      await page.goto(`${panel.url}${address.path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await page.getByLabel('Loading').waitFor({ state: 'detached' });
      await page.screenshot({ path: path.join(screenshots, `${address.name}.${name}.png`), fullPage: true });
      for (const each of await violations(page)) found.push(`${address.name}: ${each}`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      if (overflow !== 0) found.push(`${address.name} is ${overflow} pixels too wide`);
    }
    expect(found).toEqual([]);
    expect(panel.problems).toEqual([]);
  });
});
