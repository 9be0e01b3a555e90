/** Looks at pages of the panel as a person would: writes pictures of them, and asks axe what some people could not read. */
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type PanelBrowser, screenshots } from './panel-browser.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export const looks = [
  { name: 'desktop', viewport: { width: 1280, height: 900 } },
  { name: 'phone', viewport: { width: 360, height: 740 } },
] as const;

const schemes = ['light', 'dark'] as const;

export interface Inspection {
  readonly page: Page;
  /** What is wrong so far. */
  readonly found: string[];
  /** Shows the page at an address, without loading the panel anew; resolves when nothing is being read any more. */
  show(address: string): Promise<void>;
  /** Writes pictures of what is shown, light and dark, and adds to `found` what is wrong with it. */
  inspect(what: string): Promise<void>;
  /** After each load of the panel: puts axe into it. */
  prepare(): Promise<void>;
}

export async function openInspection(
  panel: PanelBrowser,
  { name, ...look }: (typeof looks)[number],
): Promise<Inspection> {
  // axe is put into the page by the test, which the page's own policy forbids.
  const page = await panel.open({ ...look, bypassCSP: true, reducedMotion: 'reduce' });
  const pending = pendingRequests(page);
  const found: string[] = [];
  return {
    page,
    found,
    prepare: async () => {
      await page.addScriptTag({ path: axe });
    },
    show: async (address) => {
      await page.evaluate(
        `document.title = ''; history.pushState({}, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'));`,
      );
      const isSettled = () =>
        page.waitForFunction(isShown).catch(() => Promise.reject(new Error(`${address} is not shown`)));
      await isSettled();
      await expect.poll(() => pending.size, { interval: 20, timeout: 30_000 }).toBe(0);
      await isSettled();
    },
    inspect: async (what) => {
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: path.join(screenshots, `${what}.${name}-${colorScheme}.png`), fullPage: true });
        for (const each of await violations(page, colorScheme)) found.push(`${what}, ${name} ${colorScheme}: ${each}`);
      }
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      if (overflow !== 0) found.push(`${what} is ${overflow} pixels too wide`);
    },
  };
}

/**
 * All rules in one colour scheme, in the other only those about colours. axe describes every element that passes too
 * unless it is told not to, which takes as long as checking.
 */
async function violations(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const rules = colorScheme === 'light' ? '' : ", runOnly: ['color-contrast']";
  const found = await page.evaluate<Violation[]>(
    `axe.run({ resultTypes: ['violations']${rules} }).then(({ violations }) => violations)`,
  );
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

/** Requests of the page that have no response yet; the stream of live events never ends. */
function pendingRequests(page: Page): ReadonlySet<unknown> {
  const pending = new Set<unknown>();
  page.on('request', (request) => !request.url().includes('/panel/v1/events') && pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  return pending;
}
