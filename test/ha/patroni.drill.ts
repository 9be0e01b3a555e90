/**
 * The drill with Patroni and etcd, by `PATRONI_ROUNDS=20`; it takes too long for the suite. In odd rounds a machine
 * dies (kill -9 of PostgreSQL and Patroni), in even ones it stands still until another has taken over, and wakes up.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPatroniCluster, primaryAmong } from '../support/patroni.ts';
import { audit, busy } from './audit.ts';
import { Load } from './load.ts';
import { openSite, type Site } from './site.ts';

const rounds = Number(process.env.PATRONI_ROUNDS);
/** From the fault on, of which Patroni waits for 7 s. */
const backWithinSeconds = 15;

let site: Site;
let load: Load;
beforeAll(async () => {
  site = await openSite(40_000, openPatroniCluster);
  load = new Load(site);
});
afterAll(async () => {
  await load?.stop();
  await site?.close();
});

test('with Patroni nothing is lost or done twice, and a primary that slept acknowledges nothing', {
  timeout: 120_000 + rounds * 90_000,
}, async () => {
  const { database } = site;
  const call = await site.call();
  load.start();
  const seconds: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const isPaused = round % 2 === 0;
    await busy(load);
    const former = await primaryAmong(database.nodes);
    const since = performance.now();
    await database.signal(former, isPaused ? 'SIGSTOP' : 'SIGKILL');
    site.primary = await database.promoteWithout(former);
    seconds.push(await load.secondsUntilBack(since));
    process.stdout.write(`round ${round}: back after ${seconds.at(-1)?.toFixed(1)} s\n`);
    let acknowledged = false;
    if (isPaused) {
      await database.signal(former, 'SIGCONT');
      // It refuses, or waits for a standby that it has no more until Patroni stops it.
      await database.ask(former, 'create table split_brain ()').then(
        () => {
          acknowledged = true;
        },
        () => undefined,
      );
    }
    await database.rejoin(former, site.primary);
    site.primary = await primaryAmong(database.nodes);
    expect(acknowledged).toBe(false);
  }
  await load.stop();
  const shown = { seconds: seconds.map((each) => each.toFixed(1)), refused: Object.fromEntries(load.refused) };
  process.stdout.write(`\nPatroni drill: ${load.orders.length} orders, ${JSON.stringify(shown)}\n`);
  expect(load.offences).toEqual([]);
  await audit(site, load, call);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(backWithinSeconds);
});
