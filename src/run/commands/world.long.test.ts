/** Commands for worlds and snapshots. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { execute } from '../../../test/support/commands.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createApplication } from '../../interfaces/verification/application.writes.ts';

const shop = useOpened(() => openShop({ worlds: true }));
const at = () => ['--url', shop.url, '--key', shop.key];

test('a world is made, listed, reset and ended', async () => {
  const [made] = JSON.parse(
    (await execute('world new', ...at(), '--from', 'empty', '--name', 'mine', '--json')).join(''),
  );
  expect(made.url).toBe(`${shop.url}/w/${made.id}`);
  const balance = await fetch(`${made.url}/v3/balance`, { headers: { 'api-key': made['api key'] ?? made.api_key } });
  expect(balance.status).toBe(200);
  expect((await execute('world list', ...at())).join('\n')).toContain(`${made.id}  ${made.url}  empty  mine`);
  expect(await execute('world reset', made.id, ...at())).toEqual([`${made.id} is as it began.`]);
  expect(await execute('world end', made.id, ...at())).toEqual([`${made.id} has ended.`]);
  await expect(execute('world end', made.id, ...at())).rejects.toThrow('refused: There is nothing here.');
  await expect(execute('world list', '--url', shop.url)).rejects.toThrow('An API key is needed');
});

test('a snapshot goes through a file', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-snapshot-'));
  const file = path.join(folder, 'state.snapshot');
  try {
    const [made] = JSON.parse((await execute('world new', ...at(), '--from', 'empty', '--json')).join(''));
    expect((await execute('snapshot save', file, '--world', made.id, ...at())).join('')).toMatch(/ has \d+ KiB\.$/);
    await execute('world end', made.id, ...at());
    expect((await execute('snapshot load', file, 'loaded', ...at())).join('')).toContain('--from "loaded"');
    const lines = (await execute('snapshot list', ...at())).slice(1);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['loaded']);
    await expect(execute('snapshot load', file, 'loaded', ...at())).rejects.toThrow('There is already a snapshot');
    await writeFile(file, 'nothing');
    await expect(execute('snapshot load', file, 'other', ...at())).rejects.toThrow('The file is not a snapshot');
    await expect(execute('snapshot save', file, '--name', 'none', ...at())).rejects.toThrow('There is nothing here.');
    expect(await execute('snapshot drop', 'loaded', ...at())).toEqual(['loaded is gone.']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('seed makes what a file describes, and says what is wrong with it', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-seed-'));
  const file = path.join(folder, 'world.json');
  const seed = async (content: string) => {
    await writeFile(file, content);
    return execute('seed', file, ...at());
  };
  try {
    const numbers = [{ country: 'FR', number: '33123456789', state: 'expired' }];
    const lines = await seed(JSON.stringify({ accounts: [{ numbers, calls: [] }, { name: 'Globex' }] }));
    expect(lines.join('\n')).toMatch(/33123456789 +0 +0\n *Globex/);
    const wrong = seed(JSON.stringify({ accounts: [{ numbers: [{ country: 'France' }] }] }));
    await expect(wrong).rejects.toThrow('accounts[0].numbers[0].country must be two capital letters');
    await expect(seed('{')).rejects.toThrow('is not JSON');
    await expect(seed('[]')).rejects.toThrow('must hold an object');
    await expect(execute('seed', path.join(folder, 'none.json'), ...at())).rejects.toThrow('cannot be read');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('trigger lets one thing happen', async () => {
  await createApplication(shop.env, shop.accountId, { name: 'web' });
  const trigger = async (name: string, ...more: string[]) =>
    (await execute('trigger', name, ...more, ...at())).join('');
  expect(await trigger('order.completed')).toMatch(
    /^The order \w+-\d+ is completed\. It has no callback: --callback URL/,
  );
  expect(await trigger('order.completed', '--callback', 'http://127.0.0.1:9/')).toMatch(/is completed\.$/);
  expect(await trigger('order.canceled')).toContain('is canceled.');
  expect(await trigger('order.pending')).toContain('is pending.');
  expect(await trigger('call.end')).toMatch(/is ended, 200\.$|is completed, 200\.$/);
  expect(await trigger('call.busy')).toContain(', 486.');
  expect(await trigger('call.start')).toMatch(/^The call \S+ to 4420\d{8} is \w+\.$/);
  expect(await trigger('number.expired')).toMatch(/^The number 4420\d{8} has expired\.$/);
  for (const status of ['pending', 'verified', 'failed', 'expired', 'denied']) {
    expect(await trigger(`verification.${status}`)).toContain(`is ${status}.`);
  }
  await expect(trigger('number.expired', '--callback', 'http://127.0.0.1:9/')).rejects.toThrow(
    'is for orders and calls',
  );
  await expect(trigger('order')).rejects.toThrow('There is no "order". NAME is one of: order.completed,');
});

test('the events of a call that is triggered go where the caller wants', async () => {
  const receiver = await startReceiver();
  try {
    await execute('trigger', 'call.end', '--callback', `${receiver.url}/events`, ...at());
    const listed = async () => {
      const said = await fetch(`${shop.url}/sandbox/v1/deliveries`, { headers: { 'api-key': shop.key } });
      return ((await said.json()) as { deliveries: { kind: string; payload: { type: string } }[] }).deliveries;
    };
    expect((await listed())[0]).toMatchObject({
      kind: 'voice_in_events',
      payload: { type: 'incoming-call-end-event' },
    });
    const { rows } = await shop.env.pool.query<{ url: string }>(
      "select call_events->>'url' as url from accounts where id = $1",
      [shop.accountId],
    );
    expect(rows).toEqual([{ url: `${receiver.url}/events` }]);
  } finally {
    await receiver.close();
  }
});
