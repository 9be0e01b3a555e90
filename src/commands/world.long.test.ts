import { expect, test } from 'vitest';
import { execute } from '../../test/support/commands.ts';
import { runDueJobs } from '../../test/support/environment.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { didItem } from '../../test/support/requests.ts';
import { openShop } from '../../test/support/shop.ts';
import { useOpened } from '../../test/support/use.ts';

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

test('listen prints a callback and forwards it', async () => {
  const [receiver, local] = [await startReceiver(), await startReceiver()];
  try {
    const listening = execute('listen', ...at(), '--forward', `${local.url}/here`, '--count', '1');
    await shop.stock('london', 1);
    const more = { callback_url: receiver.url, callback_method: 'post' };
    const { resource } = await shop.postOrder([didItem({ sku_id: shop.skus.london })], more);
    shop.clock.advance(1);
    await runDueJobs(shop.env);
    const lines = await listening;
    expect(lines[0]).toContain(`orders {`);
    expect(lines[1]).toBe(`  ${local.url}/here answered 200`);
    expect(JSON.parse(local.received[0]?.body ?? '')).toMatchObject({ id: resource.id, status: 'completed' });
  } finally {
    await Promise.all([receiver.close(), local.close()]);
  }
});
