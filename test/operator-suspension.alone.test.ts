/** Suspending an account under load: within a second no process serves it any more, and everybody else is served as before. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createBench } from './support/boot.ts';

const { start, ownDatabases, folder } = createBench();

const keys = {
  acme: 'the key of the account acme',
  other: 'the key of the other one',
  operator: 'the key of an operator',
};

it('stops its requests in all processes within a second, and nothing else', async () => {
  const file = path.join(folder(), 'bootstrap.json');
  const account = (name: string, key: string) => ({ name, api_keys: [{ name: 'ci', key }] });
  const operators = [{ email: 'ops@trunkline.test', role: 'owner', api_keys: [{ name: 'ci', key: keys.operator }] }];
  const accounts = [account('Acme', keys.acme), account('Other', keys.other)];
  await writeFile(file, JSON.stringify({ sandbox: { accounts, operators } }));
  const variables = {
    ...(await ownDatabases()),
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_BOOTSTRAP: file,
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 3).toString('base64'),
    TRUNKLINE_SANDBOX_OPERATOR_PORT: '0',
  };
  const processes = [await start('one', variables), await start('two', variables)];
  const ready = await Promise.all(processes.map((process) => process.ready()));
  const [urls, operatorUrl = ''] = [
    ready.map(({ environments }) => environments.sandbox?.url ?? ''),
    ready[0]?.environments.sandbox?.operator_url,
  ];
  expect(operatorUrl).not.toBe(urls[0]);
  expect((await fetch(`${urls[0]}/operator/v1/accounts`, { headers: { 'api-key': keys.operator } })).status).toBe(404);

  const seen: { key: string; url: string; at: number; status: number }[] = [];
  const stop = new AbortController();
  const load = [keys.acme, keys.other].flatMap((key) =>
    urls.flatMap((url) =>
      [1, 2, 3].map(async () => {
        while (!stop.signal.aborted) {
          const at = performance.now();
          const { status } = await fetch(`${url}/v3/balance`, { headers: { 'api-key': key } });
          seen.push({ key, url, at, status });
        }
      }),
    ),
  );
  await expect.poll(() => seen.length).toBeGreaterThan(100);
  const headers = { 'api-key': keys.operator, 'content-type': 'application/vnd.api+json' };
  const found = await fetch(`${operatorUrl}/operator/v1/accounts?filter[search]=acm`, { headers });
  const { data } = (await found.json()) as { data: { id: string }[] };
  const id = data[0]?.id;
  const body = { data: { type: 'accounts', id, attributes: { suspended: true, reason: 'Fraud' } } };
  const answer = await fetch(`${operatorUrl}/operator/v1/accounts/${id}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify(body),
  });
  const suspendedAt = performance.now();
  expect(answer.status).toBe(200);
  // Not a wait for something to happen: the load goes on, so that what comes later than a second would be seen.
  await sleep(2_500);
  stop.abort();
  await Promise.all(load);

  const late = seen.filter(({ at }) => at > suspendedAt + 1_000);
  for (const url of urls) {
    const statuses = (key: string) =>
      new Set(late.filter((one) => one.key === key && one.url === url).map(({ status }) => status));
    expect([...statuses(keys.acme)]).toEqual([403]);
    expect([...statuses(keys.other)]).toEqual([200]);
  }
  expect(seen.filter(({ key, status }) => key === keys.other && status !== 200)).toEqual([]);
});
