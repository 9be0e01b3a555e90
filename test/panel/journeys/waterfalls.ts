/** How deep requests depend on each other: a page's requests start together, and at most one more round needs their responses. */
import type { Page } from 'playwright-core';
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

/**
 * Holds the requests of a page back until `nextRound` sends all of them together. It runs in the page itself, because
 * word of a request reaches the test later than word that the page is idle, or earlier: how a busy machine likes it.
 * A path that was sent before is no part of a round: the page asks again for what it already shows. Live events never
 * tell of a change, as what they cause to be read depends on no response. Who is signed in is asked once for all pages.
 */
const holdRequests = `(() => {
  const send = window.fetch.bind(window);
  const held = [];
  const sent = new Set(['/panel/v1/session']);
  window.fetch = (address, options) => {
    const path = new URL(address, location.href).href.slice(location.origin.length);
    if (sent.has(path)) return send(address, options);
    sent.add(path);
    return new Promise((resolve, reject) => {
      const release = async () => {
        const response = await send(address, options);
        // With its body, which else arrives some time after the headers.
        resolve(new Response([204, 304].includes(response.status) ? null : await response.blob(), response));
      };
      held.push({ path, release: () => release().catch(reject) });
    });
  };
  window.EventSource = class extends EventTarget {
    constructor() {
      super();
      setTimeout(() => this.dispatchEvent(new Event('open')));
    }
    close() {}
  };
  /** Timers run in the order of their time, so what a response has set off within these is done; React goes on when idle. */
  const settled = async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((done) => setTimeout(done, 15));
      await new Promise((done) => requestIdleCallback(done));
    }
  };
  window.nextRound = async () => {
    await settled();
    const round = held.splice(0);
    await Promise.all(round.map(({ release }) => release()));
    return round.map(({ path }) => path);
  };
})()`;

async function roundsOf(page: Page, address: string): Promise<string[][]> {
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const rounds: string[][] = [];
  for (;;) {
    const round = await page.evaluate<string[]>('nextRound()');
    if (round.length === 0) return rounds;
    rounds.push(round);
  }
}

export function waterfalls(panel: PanelBrowser): void {
  test('no page waits for more than two rounds of requests', async () => {
    const page = await panel.open();
    await panel.signIn(page);
    await page.addInitScript(holdRequests);
    const deep: string[] = [];
    for (const address of pages) {
      const rounds = await roundsOf(page, `${panel.url}${address}`);
      expect(rounds).not.toEqual([]);
      if (rounds.length > 2) deep.push(`${address}: ${JSON.stringify(rounds)}`);
    }
    expect(deep).toEqual([]);
  });
}
