/** How deep requests depend on each other: a page's requests start together, and at most one more round needs their responses. */
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { PanelBrowser } from '../../support/panel-browser.ts';

const pages = [
  '/',
  '/notifications',
  '/numbers',
  '/buy',
  '/buy?country=GB',
  '/cart',
  '/orders',
  '/statements',
  '/invoices',
  '/registrations',
  '/identities',
  '/trunks',
  '/capacity',
  '/calls',
  '/events',
  '/callbacks',
  '/applications',
  '/verifications',
  '/keys',
  '/inbox',
];

const interfaces = /\/(v3|panel\/v1|sandbox\/v1)\//;
/** Who is signed in is asked once for all pages, and live events never end. */
const notCounted = /\/panel\/v1\/(session|events)(\?|$)/;

/** Resolves when the page has nothing left to do by itself: no file under way, and two idle periods in a row. */
async function untilIdle(page: Page, files: ReadonlySet<unknown>): Promise<void> {
  do {
    await page.evaluate('new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))');
  } while (files.size > 0);
}

export function waterfalls(panel: PanelBrowser): void {
  test('no page waits for more than two rounds of requests', async () => {
    const page = await panel.open();
    await panel.signIn(page);
    const files = new Set<unknown>();
    const held: Route[] = [];
    page.on('request', (request) => !interfaces.test(request.url()) && files.add(request));
    page.on('requestfinished', (request) => files.delete(request));
    page.on('requestfailed', (request) => files.delete(request));
    await page.route(interfaces, (route) => {
      if (notCounted.test(route.request().url())) return route.continue();
      held.push(route);
    });
    const deep: string[] = [];
    for (const address of pages) {
      await page.goto(`${panel.url}${address}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const rounds: string[][] = [];
      for (;;) {
        await untilIdle(page, files);
        if (held.length === 0) break;
        const round = held.splice(0);
        rounds.push(round.map((route) => new URL(route.request().url()).pathname));
        await Promise.all(
          round.map(async (route) => {
            await route.continue();
            await route.request().response();
          }),
        );
      }
      if (rounds.length > 2) deep.push(`${address}: ${JSON.stringify(rounds)}`);
    }
    expect(deep).toEqual([]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
}
