/** The API reference in a browser. */
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

describe('the API reference', () => {
  test('shows the interface in a browser and asks nobody but this server', async () => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const asked: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${server.url}/docs`);
    // The script of the page has three megabytes, which a busy machine takes its time to run.
    page.setDefaultTimeout(180_000);
    await page.getByText('Coverage', { exact: true }).first().waitFor();
    await page.getByText('DID groups', { exact: true }).first().click();
    await page.getByText('List DID groups').first().waitFor();
    await page.getByText('List DID groups').first().click();
    await page.getByText('filter[features]').first().waitFor();
    const outside = asked.filter((url) => !url.startsWith(server.url) && !/^(data|blob):/.test(url));
    expect(outside).toEqual([]);
    expect(problems).toEqual([]);
    expect(await page.title()).toContain('Trunkline');
  });

  test('lets a browser keep the script for good, and sends it compressed', async () => {
    const { headers } = await fetch(`${server.url}/docs/scalar.js`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
  });

  test.each(['', '/operator'])('runs no script and no style that stands in the page: %s/docs', async (base) => {
    const nonces: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const page = await fetch(`${server.url}${base}/docs`);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).not.toContain('unsafe');
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
      const [, nonce = ''] = /'nonce-([\w-]{20,})'/.exec(policy) ?? [];
      const text = await page.text();
      expect(text).toContain(`<meta property="csp-nonce" content="${nonce}">`);
      const scripts = text.match(/<script[^>]*>/g)?.filter((each) => !each.includes('application/json'));
      expect(scripts?.every((each) => each.includes('src="docs/'))).toBe(true);
      nonces.push(nonce);
    }
    expect(nonces[0]).not.toBe(nonces[1]);
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
