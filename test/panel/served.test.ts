/** How the panel's files are served: small, kept for good, and with headers that leave a foreign script no way. */
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { login, PanelClient } from '../support/panel-client.ts';
import { startTestServer } from '../support/server.ts';
import { useOpened } from '../support/use.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', ...login, balance: '100' } }));
let html = '';

beforeAll(async () => {
  html = await (await fetch(server.url)).text();
});

describe('the page', () => {
  test.each(['/', '/numbers', '/numbers/anything', '/buy?country=GB'])('is at %s', async (path) => {
    const response = await fetch(`${server.url}${path}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await response.text()).toBe(html);
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  test('may run no script but its own files, and be framed by nobody', async () => {
    const { headers } = await fetch(server.url);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(html).not.toMatch(/<script(?![^>]* src=)/);
    expect(html).not.toMatch(/\son\w+=/);
  });

  test('a path that is no page of the panel is still not there', async () => {
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${server.url}/assets/nothing.js`)).status).toBe(404);
    expect((await fetch(`${server.url}/assets/%2e%2e/built-from`)).status).toBe(404);
  });
});

test('files have names of their content, are compressed and kept for good', async () => {
  const [script = ''] = /\/assets\/[^"]+\.js/.exec(html) ?? [];
  expect(script).toMatch(/-[\w-]{8}\.js$/);
  const { headers } = await fetch(`${server.url}${script}`, { headers: { 'accept-encoding': 'gzip' } });
  expect(headers.get('content-encoding')).toBe('gzip');
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  const brotli = await fetch(`${server.url}${script}`, { headers: { 'accept-encoding': 'gzip, br' } });
  expect(brotli.headers.get('content-encoding')).toBe('br');
});

test('the first page is under 350 KB in all', async () => {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ extraHTTPHeaders: { 'accept-encoding': 'gzip' } });
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) =>
      // A request that ends while the browser is closed counts for nothing.
      sizes.push(
        request.sizes().then(
          ({ responseBodySize }) => responseBodySize,
          () => 0,
        ),
      ),
    );
    await page.goto(server.url);
    await page.getByLabel('E-mail').fill(login.email);
    await page.getByLabel('Password', { exact: true }).fill(login.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await page.waitForLoadState('networkidle');
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(350 * 1024);
  } finally {
    await browser.close();
  }
});

test('free text with markup is shown as it was written', async () => {
  const payload = '<img src=x onerror="document.title=\'pwned\'"><script>document.title="pwned"</script>';
  const client = new PanelClient(server.url);
  await client.signIn();
  const attributes = {
    name: payload,
    description: payload,
    configuration: { type: 'sip_configurations', attributes: { host: 'example.com', codec_ids: [9] } },
  };
  expect((await client.post('/v3/voice_in_trunks', { data: { type: 'voice_in_trunks', attributes } })).status).toBe(
    201,
  );
  await client.post('/panel/v1/api_keys', { data: { type: 'api_keys', attributes: { name: payload } } });
  await client.post('/panel/v1/otp_applications', {
    data: { type: 'otp_applications', attributes: { name: payload } },
  });
  await client.signIn(login, { 'user-agent': payload });
  const browser = await launchBrowser();
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(server.url);
    await page.getByLabel('E-mail').fill(login.email);
    await page.getByLabel('Password', { exact: true }).fill(login.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    for (const path of ['/trunks', '/keys', '/applications', '/sessions']) {
      await page.goto(`${server.url}${path}`);
      await page.getByRole('table').getByText('onerror').first().waitFor();
      expect([path, await page.locator('img').count(), await page.title()]).toEqual([
        path,
        0,
        expect.stringContaining('· Trunkline'),
      ]);
    }
  } finally {
    await browser.close();
  }
});

test('works under a path that a proxy removes', async () => {
  const proxy = createServer((request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/phones')) return response.writeHead(404).end();
    const forwarded = httpRequest(
      `${behind.url}${path.slice('/phones'.length) || '/'}`,
      { method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(forwarded);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const address = proxy.address();
  const publicUrl = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/phones`;
  const behind = await startTestServer({ publicUrl, account: { name: 'Acme', ...login } });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${publicUrl}/trunks/new`);
    await page.getByLabel('E-mail').fill(login.email);
    await page.getByLabel('Password', { exact: true }).fill(login.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'New trunk' }).waitFor();
    await page.getByRole('link', { name: 'Numbers', exact: true }).click();
    await page.getByText('You own no numbers yet').waitFor();
    expect(page.url()).toBe(`${publicUrl}/numbers`);
  } finally {
    await browser.close();
    await behind.close();
    proxy.closeAllConnections();
    proxy.close();
  }
});
