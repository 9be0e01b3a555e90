/** Every page, light and dark, on a phone and a desktop: written as a picture, and without a serious violation of axe. */
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { panelPaths } from '../../src/panel/web-files.ts';
import { openPanelBrowser, screenshots } from '../support/panel-browser.ts';
import { useOpened } from '../support/use.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const panel = useOpened(openPanelBrowser);

const looks = [
  { name: 'desktop', viewport: { width: 1280, height: 900 } },
  { name: 'phone', viewport: { width: 360, height: 740 } },
] as const;

const schemes = ['light', 'dark'] as const;

/** Addresses of all pages; those of single records are those of the first in their list. */
const addresses: { name: string; path: string }[] = panelPaths.map((name) => ({ name, path: `/${name}` }));

const read = async (url: string): Promise<string> => {
  const response = await fetch(`${panel.url}/v3${url}`, { headers: { 'api-key': panel.apiKey } });
  return JSON.parse(await response.text()).data[0].id;
};

beforeAll(async () => {
  // A call and a verification of today, so that no page is empty.
  const headers = { 'api-key': panel.apiKey, 'content-type': 'application/json' };
  const dids = await fetch(`${panel.url}/v3/dids`, { headers });
  const number = JSON.parse(await dids.text()).data[0].attributes.number;
  const script = { outcomes: [{ code: 200, ring_seconds: 2 }], talk_seconds: 30 };
  const call = { did_number: number, src_number: '442079460001', script };
  await fetch(`${panel.url}/sandbox/v1/calls`, { method: 'POST', headers, body: JSON.stringify(call) });
  addresses.push(
    { name: 'dashboard', path: '/' },
    { name: 'buy-country', path: '/buy?country=GB' },
    { name: 'trunk-new', path: '/trunks/new' },
    { name: 'number', path: `/numbers/${await read('/dids')}` },
    { name: 'order', path: `/orders/${await read('/orders')}` },
    { name: 'trunk', path: `/trunks/${await read('/voice_in_trunks')}` },
    { name: 'group', path: `/buy/${await read('/did_groups?filter[available_dids_enabled]=true')}` },
    { name: 'trunk-group-new', path: '/trunk-groups/new' },
    { name: 'outbound-trunk-new', path: '/outbound-trunks/new' },
    { name: 'outbound-trunk', path: `/outbound-trunks/${await read('/voice_out_trunks')}` },
    { name: 'identity', path: `/identities/${await read('/identities')}` },
    { name: 'identity-new', path: '/identities/new' },
    { name: 'registration-new', path: '/registrations/new' },
    { name: 'calls-out', path: '/calls?direction=out' },
    { name: 'missing', path: '/numbers/00000000-0000-4000-8000-000000000000' },
  );
});

/** All rules in one colour scheme, in the other only those about colours. */
async function violations(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const rules = colorScheme === 'light' ? '' : "{ runOnly: ['color-contrast'] }";
  const { violations: found } = await page.evaluate<{ violations: Violation[] }>(`axe.run(${rules})`);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

const isShown = "document.title !== '' && document.querySelector('[aria-label=Loading]') === null";

/** The page at an address, without loading the panel anew; resolves when nothing is being read any more. */
async function show(page: Page, pending: ReadonlySet<unknown>, address: string): Promise<void> {
  await page.evaluate(
    `document.title = ''; history.pushState({}, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'));`,
  );
  await page.waitForFunction(isShown);
  await expect.poll(() => pending.size, { interval: 20, timeout: 30_000 }).toBe(0);
  await page.waitForFunction(isShown);
}

/** Requests of the page that have no response yet; the stream of live events never ends. */
function pendingRequests(page: Page): ReadonlySet<unknown> {
  const pending = new Set<unknown>();
  page.on('request', (request) => !request.url().includes('/panel/v1/events') && pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  return pending;
}

const everyPage = async ({ name, ...look }: (typeof looks)[number]): Promise<string[]> => {
  // axe is put into the page by the test, which the page's own policy forbids.
  const page = await panel.open({ ...look, bypassCSP: true, reducedMotion: 'reduce' });
  const pending = pendingRequests(page);
  const found: string[] = [];
  const inspect = async (what: string) => {
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: path.join(screenshots, `${what}.${name}-${colorScheme}.png`), fullPage: true });
      for (const each of await violations(page, colorScheme)) found.push(`${what}, ${name} ${colorScheme}: ${each}`);
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    if (overflow !== 0) found.push(`${what} is ${overflow} pixels too wide`);
  };
  await page.goto(panel.url);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.addScriptTag({ path: axe });
  await inspect('sign-in');
  await panel.signIn(page);
  await page.addScriptTag({ path: axe });
  for (const address of addresses) {
    await show(page, pending, address.path);
    await inspect(address.name);
  }
  // The demo's paperwork is ready later than the rest: its keys take some seconds.
  const submitted = () => read('/address_verifications').catch(() => null);
  await expect.poll(submitted, { timeout: 120_000, interval: 500 }).not.toBeNull();
  await show(page, pending, `/registrations/${await submitted()}`);
  await inspect('registration');
  return found;
};

test('every page can be read, on a desktop and on a phone, light and dark', { timeout: 300_000 }, async () => {
  const found = await Promise.all(looks.map(everyPage));
  expect(found.flat()).toEqual([]);
  expect(panel.problems).toEqual([]);
});
