/**
 * Looks at pages of the panel as a person would: asks axe what some people could not read, and writes pictures of them
 * where they are wanted (`TRUNKLINE_PICTURES=1`). Every page is opened once, and looked at on a desktop and on a phone,
 * light and dark.
 */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type PanelBrowser, screenshots } from './panel-browser.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 740 };

/** Pictures are for people who look at them; no test reads them, and they take half of its time. */
const wantsPictures = process.env.TRUNKLINE_PICTURES === '1';

/**
 * In the order that changes least from one to the next. axe checks two of them with all rules, which between them have
 * both sizes and both colour schemes.
 */
const looks = [
  { name: 'desktop-dark', viewport: desktop, colorScheme: 'dark', isChecked: false },
  { name: 'desktop-light', viewport: desktop, colorScheme: 'light', isChecked: true },
  { name: 'phone-light', viewport: phone, colorScheme: 'light', isChecked: false },
  { name: 'phone-dark', viewport: phone, colorScheme: 'dark', isChecked: true },
] as const;

export interface Inspection {
  readonly page: Page;
  /** What is wrong so far. */
  readonly found: string[];
  /** Shows the page at an address, without loading the panel anew; resolves when nothing is being read any more. */
  show(address: string): Promise<void>;
  /** Looks at what is shown in every look, and adds to `found` what is wrong with it. */
  inspect(what: string): Promise<void>;
  /** After each load of the panel: puts axe into it. */
  prepare(): Promise<void>;
}

export async function openInspection(panel: PanelBrowser): Promise<Inspection> {
  // axe is put into the page by the test, which the page's own policy forbids.
  const page = await panel.open({ viewport: desktop, bypassCSP: true });
  const devtools = await page.context().newCDPSession(page);
  const pending = pendingRequests(page);
  const found: string[] = [];
  return {
    page,
    found,
    prepare: async () => {
      await page.addScriptTag({ path: axe });
      // Away from lists and menu, which would show what is under it.
      await page.mouse.move(0, 0);
      // Half of a transition is no picture of the page.
      await page.addStyleTag({
        content: '*, ::before, ::after { transition: none !important; animation: none !important; }',
      });
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
      for (const sentence of await page.evaluate<string[]>(gaps)) found.push(`${what} says “${sentence}”`);
      let mostBadges = 0;
      for (const { name, viewport, colorScheme, isChecked } of looks) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        if (wantsPictures) await writePicture(devtools, path.join(screenshots, `${what}.${name}.png`));
        const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        if (overflow !== 0) found.push(`${what}, ${name} is ${overflow} pixels too wide`);
        // The header stays where it is: what does not fit is cut off, and the page is no wider for it.
        const cut = await page.evaluate<number>(cutOff);
        if (cut > 0) found.push(`${what}, ${name}: the header is ${cut} pixels too wide`);
        const badges = await page.evaluate<number>(shownBadges);
        mostBadges = Math.max(mostBadges, badges);
        if (badges < mostBadges) found.push(`${what}, ${name} hides ${mostBadges - badges} badges`);
        if (!isChecked) continue;
        for (const each of await violations(page)) found.push(`${what}, ${name}: ${each}`);
      }
    },
  };
}

/** The whole page, also what is below the window. Compressed as fast as possible: there are hundreds of pictures. */
async function writePicture(devtools: CDPSession, file: string): Promise<void> {
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics');
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'png',
    captureBeyondViewport: true,
    optimizeForSpeed: true,
    clip: { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height, scale: 1 },
  });
  await writeFile(file, Buffer.from(data, 'base64'));
}

/** axe describes every element that passes too unless it is told not to, which takes as long as checking. */
async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate<Violation[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
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

const cutOff = `Math.max(0, ...[...document.querySelectorAll('header *')].map((each) =>
  Math.ceil(each.getBoundingClientRect().right - window.innerWidth)))`;

/** A dash stands for what is missing in a table; in a sentence it says nothing. */
const gaps = `[...document.querySelectorAll('main p, main [role=alert]')].map((each) => each.textContent)
  .filter((text) => /\\s–[.,;]|\\b(is|to|from|of|by|at|for|until) –(\\s|$)/.test(text))`;

/** What a state is called is not left out where there is less room. */
const shownBadges = `[...document.querySelectorAll('main [class*="Badge-root"]')]
  .filter((each) => each.getClientRects().length > 0).length`;

const isShown = "document.title !== '' && document.querySelector('[aria-label=Loading]') === null";

/** Requests of the page that have no response yet; the stream of live events never ends. */
function pendingRequests(page: Page): ReadonlySet<unknown> {
  const pending = new Set<unknown>();
  page.on('request', (request) => !request.url().includes('/panel/v1/events') && pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  return pending;
}
