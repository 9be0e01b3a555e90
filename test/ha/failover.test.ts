/**
 * The drill of docs/high-availability.md: again and again the primary is killed, or paused and woken up when another
 * has taken over, under orders, verifications and reads at two processes, with a call that stays up all the time.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseNode } from '../support/replicated-database.ts';
import { audit, busy, patience } from './audit.ts';
import { Load } from './load.ts';
import { openSite, type Site } from './site.ts';

/** FAILOVER_ROUNDS=20 is a long run. */
const rounds = Number(process.env.FAILOVER_ROUNDS ?? 2);
/** What docs/high-availability.md promises from the fault on, with a promotion that comes at once. */
const backWithinSeconds = 15;

let site: Site;
let load: Load;
beforeAll(async () => {
  site = await openSite(40_000);
  load = new Load(site);
});
afterAll(async () => {
  await load?.stop();
  await site?.close();
});

/** It believes that it is the primary, but whatever it is told, it can acknowledge nothing. */
async function acknowledgesNothing(former: DatabaseNode): Promise<void> {
  const { database } = site;
  let acknowledged = false;
  const written = database.ask(former, 'create table split_brain ()').then(
    () => {
      acknowledged = true;
    },
    () => undefined,
  );
  const waiting = `select wait_event from pg_stat_activity where query = 'create table split_brain ()'`;
  await expect.poll(() => database.ask(former, waiting), patience).toEqual([{ wait_event: 'SyncRep' }]);
  await busy(load);
  expect(acknowledged).toBe(false);
  await database.rejoin(former, site.primary);
  await written;
  expect(acknowledged).toBe(false);
}

test(`${rounds} failovers: nothing acknowledged is lost, nothing is done twice, the call stays up`, {
  timeout: 60_000 + rounds * 60_000,
}, async () => {
  const { database } = site;
  const { caller, trunk, number } = await site.call();
  load.start();
  const seconds: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const isPaused = round % 2 === 0;
    await busy(load);
    const former = site.primary;
    const since = performance.now();
    await database.signal(former, isPaused ? 'SIGSTOP' : 'SIGKILL');
    site.primary = await database.promoteWithout(former);
    seconds.push(await load.secondsUntilBack(since));
    if (isPaused) {
      await database.signal(former, 'SIGCONT');
      await acknowledgesNothing(former);
    } else await database.rejoin(former, site.primary);
  }
  await load.stop();
  const shown = { seconds: seconds.map((each) => each.toFixed(1)), refused: Object.fromEntries(load.refused) };
  process.stdout.write(`\nfailover drill: ${load.orders.length} orders, ${JSON.stringify(shown)}\n`);
  expect(load.offences).toEqual([]);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(backWithinSeconds);

  await audit(site, load, { caller, trunk, number });
});
