/** Limits that several processes of one environment keep together. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import { platformRoom } from '../../interfaces/platform/v3/routes.ts';
import { createHttpServer } from '../../interfaces/server/http-server.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { createRequestRates } from '../../interfaces/verification/request-rates.ts';
import { shippedSettings } from '../../interfaces/verification/settings.ts';
import { createAccount } from './accounts.ts';
import { createApiKey } from './api-keys.ts';
import { createFailedAuthentications, shippedFailureLimit } from './failed-authentication.ts';
import { createRateLimiter } from './rate-limit.ts';

let processes: Processes;
let one: WholeEnvironment;
let other: WholeEnvironment;
let sync: () => Promise<void>;
beforeAll(async () => {
  processes = await createProcesses();
  one = await processes.start('production');
  other = await processes.start('production');
  let heard = 0;
  const tell = one.changes.counts.join('mark', () => undefined);
  other.changes.counts.join('mark', (_subject, count) => {
    heard = Math.max(heard, count);
  });
  let mark = 0;
  // What was counted before is told before the mark, or with it.
  sync = async () => {
    const wanted = ++mark;
    const isHeard = () => {
      if (heard < wanted) tell(`mark ${performance.now()}`, wanted, 0);
      expect(heard).toBeGreaterThanOrEqual(wanted);
    };
    await vi.waitFor(isHeard, { timeout: 60_000 });
  };
  await sync();
});
afterAll(() => processes.close());

const caller = (id: string, rateLimit: number) => ({ actor: { kind: 'api_key' as const, id }, rateLimit });
const take = (limiter: ReturnType<typeof createRateLimiter>, id: string, rate: number, times: number) =>
  Array.from({ length: times }, () => limiter(caller(id, rate))).filter((wait) => wait === 0).length;

it('what one process lets through is not there for another, and the burst of both is paid back', async () => {
  let now = 0;
  const [first, second] = [one, other].map((env) =>
    createRateLimiter(
      (heard) => env.changes.counts.join('rates', heard),
      () => now,
    ),
  );
  if (first === undefined || second === undefined) throw new Error('two limiters');
  expect(take(first, 'a', 20, 25)).toBe(20);
  await sync();
  expect(take(second, 'a', 20, 25)).toBe(0);
  expect(take(second, 'another key', 20, 25)).toBe(20);

  // Both at the same moment, before either could hear of the other: the second has to wait twice as long.
  expect(take(second, 'b', 20, 25)).toBe(20);
  expect(take(first, 'b', 20, 25)).toBe(20);
  await sync();
  now = 1_000;
  expect(take(second, 'b', 20, 25)).toBe(0);
  now = 2_000;
  expect(take(second, 'b', 20, 25)).toBe(20);
});

it('requests with applications count together in their second, and too many are taken off the next one', async () => {
  let at = 1_000_000;
  const now = () => new Date(at);
  const [first, second] = [one, other].map((env) =>
    createRequestRates((heard) => env.changes.counts.join('application rates', heard), now),
  );
  const settings = { ...shippedSettings('production'), accountRate: 10 };
  const by = { application: { accountId: 'a' }, mode: 'basic' } as const;
  for (let n = 0; n < 10; n++) first?.count(by, '127.0.0.1', settings, now());
  for (let n = 0; n < 10; n++) second?.count(by, '127.0.0.1', settings, now());
  await sync();
  at += 1_000;
  expect(() => second?.count(by, '127.0.0.1', settings, now())).toThrow('rate_limit_per_account');
  at += 1_000;
  second?.count(by, '127.0.0.1', settings, now());
});

it('wrong keys tried at one process shut an address out of all', async () => {
  const failures = createFailedAuthentications((heard) => one.changes.counts.join('failed account keys', heard));
  const account = await createAccount(one, { name: 'Acme' });
  const { key } = await createApiKey(one, account.id, { name: 'ci' });
  const app = await createHttpServer(other, { rooms: [platformRoom], trustedProxies: ['127.0.0.1'] });
  const ask = async (address: string) => {
    const headers = { 'api-key': key, 'x-forwarded-for': address };
    return (await app.inject({ url: '/v3/balance', headers })).statusCode;
  };
  expect(await ask('192.0.2.1')).toBe(200);
  const limit = shippedFailureLimit.production;
  for (let n = 0; n < (limit?.limit ?? 0); n++) failures.count('192.0.2.1', limit);
  await expect.poll(() => ask('192.0.2.1')).toBe(429);
  expect(await ask('192.0.2.2')).toBe(200);
  await app.close();
});

it('a long batch is told in several messages', async () => {
  const heard = new Map<string, number>();
  other.changes.counts.join('many', (subject, count) => void heard.set(subject, count));
  const tell = one.changes.counts.join('many', () => undefined);
  for (let n = 0; n < 1_000; n++) tell(`2001:db8:${n}:0::/64`, n, 1);
  await expect.poll(() => heard.size).toBe(1_000);
  expect(heard.get('2001:db8:999:0::/64')).toBe(999);
});
