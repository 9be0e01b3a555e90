/**
 * How deep requests depend on each other: a page's requests start together, and at most one more round needs their
 * responses.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operatorPaths, panelPaths } from '../../../src/interfaces/panel/web-files.ts';
import type { PanelBrowser } from '../../support/panel-browser.ts';

/** Pages of single records: those of the first in the lists. */
const firstOf = {
  customers: ['numbers', 'orders', 'trunks', 'buy?country=GB', 'identities', 'registrations'],
  operators: ['accounts', 'numbers', 'orders', 'review'].map((name) => `operator/${name}`),
};

/** What they show is in the panel itself, or is asked for only when somebody acts. */
const withoutRequests = ['password', 'email', 'operator/routing'];

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
  window.readAgain = [];
  window.fetch = (address, options) => {
    const path = new URL(address, location.href).href.slice(location.origin.length);
    if (sent.has(path)) {
      if (path !== '/panel/v1/session') window.readAgain.push(path);
      return send(address, options);
    }
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
  /**
   * Timers run in the order of their time, so what a response has set off within these is done; React goes on when
   * idle.
   */
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
  await page.locator('main').locator('h1, [aria-label=Loading]').first().waitFor();
  const rounds: string[][] = [];
  for (;;) {
    const round = await page.evaluate<string[]>('nextRound()');
    if (round.length === 0) return rounds;
    rounds.push(round);
  }
}

/** Of these pages and of the first record in some of their lists: which wait for how many rounds. */
async function depthOf(panel: PanelBrowser, page: Page, paths: readonly string[], lists: readonly string[]) {
  await page.addInitScript(holdRequests);
  const rounds = new Map<string, string[][]>();
  const look = async (path: string) => rounds.set(path, await roundsOf(page, `${panel.url}/${path}`));
  for (const path of paths) {
    await look(path);
    if (!lists.includes(path)) continue;
    const record = await page
      .locator(`main a[href*="/${path.split('?', 1)}/"]:not([href$="/new"])`)
      .first()
      .getAttribute('href');
    await look((record ?? '').slice(1));
  }
  return rounds;
}

export function waterfalls(panel: PanelBrowser): void {
  test('no page waits for more than two rounds of requests', { timeout: 900_000 }, async () => {
    const [customer, operator] = [await panel.open(), await panel.open()];
    await panel.signIn(customer, panel.login);
    await panel.signIn(operator, panel.operator);
    const depths = await Promise.all([
      depthOf(panel, customer, ['', 'buy?country=GB', 'registrations/new', ...panelPaths], firstOf.customers),
      depthOf(panel, operator, ['operator', ...operatorPaths], firstOf.operators),
    ]);
    const pages = depths.flatMap((rounds) => [...rounds]);
    expect(pages.filter(([, rounds]) => rounds.length > 2)).toEqual([]);
    expect(pages.flatMap(([path, rounds]) => (rounds.length === 0 ? [path] : []))).toEqual(withoutRequests);
  });

  test('Home reads nothing twice', async () => {
    const page = await panel.open();
    await panel.signIn(page, panel.login);
    await page.addInitScript(holdRequests);
    expect(await roundsOf(page, panel.url)).not.toEqual([]);
    expect(await page.evaluate('readAgain')).toEqual([]);
  });
}
