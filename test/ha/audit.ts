/** What must be true after any number of failovers: nothing lost, nothing done twice, the call up until it ends. */
import { expect } from 'vitest';
import type { Load } from './load.ts';
import type { Site } from './site.ts';

export const patience = { timeout: 60_000, interval: 100 };

/** Work of each kind is going on. */
export async function busy(load: Load): Promise<void> {
  const before = [load.orders.length, load.codes.length];
  const grown = () =>
    [load.orders.length, load.codes.length].every((count, index) => count > (before[index] ?? 0) + 10);
  await expect.poll(grown, patience).toBe(true);
}

type Up = Awaited<ReturnType<Site['call']>>;

/** After the load has been stopped; `call` has been up all the time. */
export async function audit(site: Site, load: Load, { caller, trunk, number }: Up): Promise<void> {
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
}
