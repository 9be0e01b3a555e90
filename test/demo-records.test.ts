/**
 * A first start that is killed or stopped before the demo account has all its records: later starts make the rest,
 * once.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createBench } from './support/boot.ts';
import { checkedFetch } from './support/checked-fetch.ts';

const { folder, start } = createBench();
const sandboxOnly = { TRUNKLINE_PORT: 'off' };

/** The records made so far; null when there is nothing left to make. */
const progress = () => readFile(path.join(folder(), 'demo/data/demo.sandbox.records'), 'utf8').catch(() => null);

async function countRecords(url: string, key: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const type of Object.keys(everyRecord)) {
    const response = await checkedFetch(`${url}/v3/${type}`, { headers: { 'api-key': key } });
    counts[type] = JSON.parse(await response.text()).data.length;
  }
  return counts;
}

const everyRecord = {
  // Five are placed; the sixth shows the first month of the emergency service.
  orders: 6,
  dids: 5,
  did_reservations: 1,
  shared_capacity_groups: 1,
  voice_in_trunks: 2,
  voice_in_trunk_groups: 1,
  voice_out_trunks: 1,
  exports: 1,
  identities: 2,
  addresses: 3,
  address_verifications: 1,
  emergency_calling_services: 1,
  emergency_verifications: 2,
};

test('every record is there once after a kill between the two parts and a stop within the second', {
  timeout: 240_000,
}, async () => {
  const killed = await start('demo', sandboxOnly);
  await killed.ready();
  await killed.stop('SIGKILL');
  expect(await progress()).toMatch(/^voice_out_trunks /m);
  expect(await progress()).not.toMatch(/^proofs /m);

  const stopped = await start('demo', sandboxOnly);
  await stopped.ready();
  await expect.poll(progress, { timeout: 60_000, interval: 10 }).toMatch(/^identities /m);
  expect(await stopped.stop('SIGTERM')).toBe(0);
  // As if it had ended between a record and the line about it: once for each of these types.
  let noted = (await progress()) ?? '';
  for (const type of ['orders', 'exports', 'identities', 'shared_capacity_groups']) {
    const lines = [...noted.matchAll(new RegExp(`^${type} \\S+\\n`, 'gm'))];
    const lastLine = lines.at(-1)?.[0] ?? '';
    expect(lastLine).not.toBe('');
    noted = noted.replace(lastLine, '');
  }
  await writeFile(path.join(folder(), 'demo/data/demo.sandbox.records'), noted);

  const last = await start('demo', sandboxOnly);
  const url = (await last.ready()).environments.sandbox?.url ?? '';
  await expect.poll(progress, { timeout: 60_000 }).toBeNull();
  const demo = JSON.parse(await readFile(path.join(folder(), 'demo/data/demo.sandbox.json'), 'utf8'));
  expect(await countRecords(url, demo.sandbox.accounts[0].api_keys[0].key)).toEqual(everyRecord);
  expect(`${killed.stdout()}${stopped.stdout()}${last.stdout()}`).not.toContain('lacks records');
});
