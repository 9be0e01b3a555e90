/** What makes the cache fetch, how long it keeps what it got, and how little a sender of calls can make it do. */
import { X509Certificate } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { CertificateCache } from './certificate-cache.ts';
import { testAuthority } from './test-authority.fixture.ts';

const root = testAuthority();
const { chain: pem } = root.issue({ name: 'Signer' });
const url = 'https://ca.test/signer.pem';
const minute = 60_000;

let time = 0;
let fetched: string[] = [];
let answer: (asked: string) => Promise<{ pem: string; cacheControl: string | null }>;
let cache: CertificateCache;
beforeEach(() => {
  time = 0;
  fetched = [];
  answer = async () => ({ pem, cacheControl: null });
  cache = new CertificateCache({
    authorities: [new X509Certificate(root.pem)],
    fetch: (asked) => {
      fetched.push(asked);
      return answer(asked);
    },
    now: () => time,
  });
});

test('calls that come together share one fetch, and later ones what it brought', async () => {
  const all = await Promise.all([cache.chainAt(url, 'a'), cache.chainAt(url, 'b'), cache.chainAt(url, 'a')]);
  expect(all.map(({ signer }) => signer)).toEqual(['Signer', 'Signer', 'Signer']);
  await cache.chainAt(url, 'c');
  expect(fetched).toEqual([url]);
});

test.each([
  [null, 60],
  ['public, max-age=600', 10],
  ['max-age=1', 1],
  ['no-store', 1],
  ['max-age=999999999', 1_440],
  ['public', 60],
])('Cache-Control %s is kept for %i minutes', async (cacheControl, minutes) => {
  answer = async () => ({ pem, cacheControl });
  await cache.chainAt(url, 'a');
  time = minutes * minute - 1;
  await cache.chainAt(url, 'a');
  expect(fetched).toHaveLength(1);
  time += 1;
  await cache.chainAt(url, 'a');
  expect(fetched).toHaveLength(2);
});

test('a failure is kept for a minute, whether nothing came or nothing useful', async () => {
  answer = () => Promise.reject(new Error('away'));
  for (let call = 0; call < 3; call += 1) {
    await expect(cache.chainAt(url, 'a')).rejects.toMatchObject({ meaning: 'unchecked' });
  }
  answer = async () => ({ pem: 'hello', cacheControl: 'max-age=86400' });
  time += minute;
  for (let call = 0; call < 3; call += 1) {
    await expect(cache.chainAt(url, 'a')).rejects.toMatchObject({ meaning: 'refuted' });
  }
  answer = async () => ({ pem, cacheControl: null });
  time += minute;
  expect((await cache.chainAt(url, 'a')).signer).toBe('Signer');
  expect(fetched).toHaveLength(3);
});

test.each([
  'http://ca.test/c.pem',
  'https://user:pass@ca.test/c.pem',
  'https://ca.test/c.pem#x',
  'file:///etc/passwd',
  'nonsense',
  `https://ca.test/${'x'.repeat(600)}`,
])('%s is never fetched', async (address) => {
  await expect(cache.chainAt(address, 'a')).rejects.toThrow('no https address');
  expect(fetched).toEqual([]);
});

test('a sender of calls causes 30 fetches in a minute, and a host gets no more from all senders', async () => {
  const ask = (from: string, host: (index: number) => string) =>
    Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => cache.chainAt(`https://${host(index)}/${from}${index}`, from)),
    );
  await ask('a', (index) => `ca${index}.test`);
  expect(fetched).toHaveLength(30);
  time += minute;
  fetched = [];
  await ask('b', () => 'one.test');
  await ask('c', () => 'one.test');
  expect(fetched).toHaveLength(30);
  await expect(cache.chainAt('https://one.test/more', 'd')).rejects.toMatchObject({ meaning: 'unchecked' });
  time += minute;
  expect((await cache.chainAt('https://one.test/more', 'd')).signer).toBe('Signer');
});

test('no more than 32 fetches run at once', async () => {
  answer = () => new Promise(() => undefined);
  for (let index = 0; index < 40; index += 1) {
    cache.chainAt(`https://ca${index}.test/c`, `sender ${index}`).catch(() => undefined);
  }
  expect(fetched).toHaveLength(32);
});
