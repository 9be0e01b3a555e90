/**
 * The drill of docs/high-availability.md: again and again the primary is killed, or paused and woken up when another
 * has taken over, under orders, verifications and reads at two processes, with a call that stays up all the time.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseNode } from '../support/replicated-database.ts';
import { Load } from './load.ts';
import { openSite, type Site } from './site.ts';

/** FAILOVER_ROUNDS=20 is a long run. */
const rounds = Number(process.env.FAILOVER_ROUNDS ?? 2);
/** What docs/high-availability.md promises from the fault on, with a promotion that comes at once. */
const backWithinSeconds = 15;
const patience = { timeout: 60_000, interval: 100 };

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

/** Work of each kind is going on. */
async function busy(): Promise<void> {
  const before = [load.orders.length, load.codes.length];
  const grown = () =>
    [load.orders.length, load.codes.length].every((count, index) => count > (before[index] ?? 0) + 10);
  await expect.poll(grown, patience).toBe(true);
}

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
  await busy();
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
    await busy();
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

  // The number of the call was bought, too.
  const pending = `select count(*)::int as n from orders where status <> 'completed'`;
  await expect.poll(() => site.query(pending), patience).toEqual([{ n: 0 }]);
  const stored = await site.query<{ id: string }>('select id from orders');
  const ids = new Set(stored.map(({ id }) => id));
  expect(load.orders.filter((id) => !ids.has(id))).toEqual([]);
  expect(new Set(load.orders).size).toBe(load.orders.length);
  expect(stored.length).toBe(load.orders.length + 1);
  expect(await site.query('select count(*)::int as n from dids')).toEqual([{ n: stored.length }]);

  const sent = `select verification_id as id, count(*)::int as n from sandbox_messages group by 1`;
  const unsent = async () => {
    const messages = new Map((await site.query<{ id: string; n: number }>(sent)).map(({ id, n }) => [id, n]));
    return load.codes.filter((id) => messages.get(id) !== 1);
  };
  await expect.poll(unsent, patience).toEqual([]);
  expect((await site.query<{ n: number }>(sent)).filter(({ n }) => n > 1)).toEqual([]);
  const verified = await site.command('ledger', 'verify');
  expect(verified).toMatchObject({ code: 0 });
  expect(verified.output).not.toContain('OFF');

  expect([caller, trunk].flatMap(({ events }) => events).filter(({ event }) => event === 'ended')).toEqual([]);
  // It hangs up.
  await caller.phone.close();
  await trunk.until('ended');
  const cdrs = `select disconnect_code, duration from cdrs_in where did_number = '${number}'`;
  await expect.poll(() => site.query(cdrs), patience).toMatchObject([{ disconnect_code: 200 }]);
  for (const { child } of site.processes) expect([child.exitCode, child.signalCode]).toEqual([null, null]);
});
