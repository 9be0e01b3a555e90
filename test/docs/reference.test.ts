/** The documentation in a browser. */
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  server = await startTestServer();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

describe('the documentation', () => {
  test('shows guides and reference in a browser, finds things, and asks nobody but this server', async () => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const asked: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.setDefaultTimeout(60_000);
    await page.goto(`${server.url}/docs`);
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name: 'DID groups', exact: true }).click();
    await page.getByRole('heading', { name: 'List DID groups' }).waitFor();
    await page
      .getByText(/^Query: \d+ parameters$/)
      .first()
      .click();
    await page.getByText('filter[features]').first().waitFor();
    // A choice of language is kept from page to page.
    await page.getByRole('tab', { name: 'Python' }).first().click();
    await pages.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByText('requests.request(').first().waitFor();
    // Two keys: the search, and a usual question.
    await page.keyboard.press('/');
    await page.getByRole('option', { name: /^Errors/ }).waitFor();
    await page.keyboard.press('5');
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency-key');
    await page.getByRole('option', { name: /Create an order/ }).waitFor();
    await page.getByRole('option', { name: /Create an order/ }).click();
    await page.getByRole('heading', { name: 'Create an order' }).waitFor();
    const outside = asked.filter((url) => !url.startsWith(server.url) && !/^(data|blob):/.test(url));
    expect([outside, problems]).toEqual([[], []]);
    expect(await page.title()).toBe('Orders · Trunkline');
  });

  test('every page is there, has less than 400 KB with all that it loads, and links only to what is there', async () => {
    const seen = new Map<string, string>();
    const open = ['/docs', '/operator/docs', '/docs?version=2021-04-19'];
    const size = new Map<string, number>();
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue;
      const response = await fetch(`${server.url}${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-encoding')).toBe('gzip');
      const text = await response.text();
      seen.set(path, text);
      size.set(path, gzipSync(text).length);
      if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
      for (const [, link = ''] of text.matchAll(/(?:href|src)="((?!data:|https?:)[^"#]+)/g)) {
        const { pathname, search } = new URL(link.replaceAll('&amp;', '&'), `${server.url}${path}`);
        if (pathname.includes('/docs')) open.push(pathname + search);
      }
    }
    const loaded = [...size].filter(([path]) => path.includes('/assets/')).reduce((sum, [, bytes]) => sum + bytes, 0);
    expect(Math.max(...size.values()) + loaded).toBeLessThan(400_000);
    expect([...seen.keys()].filter((path) => /^\/docs\/(guides|reference)\/[\w-]+$/.test(path)).length).toBeGreaterThan(
      20,
    );
  });

  test('what is not there is 404', async () => {
    for (const path of ['guides/nothing', 'reference/nothing', 'assets/x/nothing.js', 'assets/x/..%2freference.ts'])
      expect((await fetch(`${server.url}/docs/${path}`)).status).toBe(404);
  });

  test('lets a browser keep its files for good', async () => {
    const [file] = /docs\/assets\/\w+\/docs\.js/.exec(await (await fetch(`${server.url}/docs`)).text()) ?? [];
    const { headers } = await fetch(`${server.url}/${file}`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const { headers: former } = await fetch(`${server.url}/docs/assets/former/docs.js`);
    expect(former.get('cache-control')).toBe('no-cache');
  });

  test.each(['', '/operator'])('runs no script and no style that stands in the page: %s/docs', async (base) => {
    const page = await fetch(`${server.url}${base}/docs`);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; ");
    const text = await page.text();
    expect(text.match(/<script[^>]*>/g)).toEqual([expect.stringContaining('src="docs/assets/')]);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  test('sends the document compressed, and not again to who has it', async () => {
    const first = await fetch(`${server.url}/openapi.json`);
    expect(first.headers.get('content-encoding')).toBe('gzip');
    const again = await fetch(`${server.url}/openapi.json`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test('names the address by which the client came', async () => {
    const document = await (await fetch(`${server.url}/openapi.json`)).json();
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: server.url, description: 'sandbox' }] });
  });
});
