/**
 * How soon the panel can be used by somebody who has never opened it: a browser with nothing kept, up to the dashboard.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { ensureBuilt } from '../src/interfaces/panel/web-build.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { login, PanelClient } from '../test/support/panel-client.ts';
import type { Bench, Row } from './row.ts';
import { openWorld } from './world.ts';

const rounds = 5;
const mostMs = 1_500;

interface Opened {
  /** From the address to the dashboard. */
  wall: number;
  /** What the page's own thread worked. */
  processor: number;
}

export const panel: Bench = {
  name: 'panel',
  run: async (progress) => {
    await ensureBuilt();
    const world = await openWorld();
    const browser = await launchBrowser();
    try {
      await world.server.createDatabase('panel');
      const bootstrap = path.join(world.folder, 'panel.json');
      const account = { name: 'Acme', balance: '100', ...login };
      await writeFile(bootstrap, JSON.stringify({ sandbox: { accounts: [account] } }));
      const { url } = await world.serve('panel', { TRUNKLINE_BOOTSTRAP: bootstrap });
      const client = new PanelClient(url);
      await client.signIn();
      const times: Opened[] = [];
      for (let round = 0; round < rounds; round += 1) {
        progress(`round ${round + 1} of ${rounds}`);
        times.push(await open(browser, url, client.cookie));
      }
      return [
        row(
          'wall time',
          times.map(({ wall }) => wall),
        ),
        row(
          'processor time',
          times.map(({ processor }) => processor),
        ),
      ];
    } finally {
      await browser.close();
      await world.close();
    }
  },
};

async function open(browser: Browser, url: string, cookie: string): Promise<Opened> {
  const context = await browser.newContext();
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const started = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const wall = performance.now() - started;
  const { metrics } = await devtools.send('Performance.getMetrics');
  await context.close();
  const seconds = metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.POSITIVE_INFINITY;
  return { wall, processor: seconds * 1000 };
}

/** The least of several: other programs only ever add to it. */
function row(what: string, milliseconds: readonly number[]): Row {
  const least = Math.min(...milliseconds);
  return {
    measure: `the panel opened for the first time: ms of ${what} / ${mostMs}`,
    ratio: least / mostMs,
    required: { atMost: 1 },
    note: `${least.toFixed(0)} ms`,
  };
}
