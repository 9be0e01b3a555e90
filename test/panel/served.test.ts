/** How the panel's files are served: small, kept for good, and with headers that leave a foreign script no way. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { smtpMailer } from '../../src/business/mail/mailer.ts';
import { ensureMonths } from '../../src/business/voice/months.ts';
import { digestOfBuild, distFolder, ensureBuilt, sourceDigest } from '../../src/interfaces/panel/web-build.ts';
import { launchBrowser } from '../support/browser.ts';
import { runDueJobs } from '../support/environment.ts';
import { startMailServer } from '../support/mail-server.ts';
import { login } from '../support/panel-client.ts';
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

test('the pages are built once: a further start finds them up to date', async () => {
  const stamp = path.join(distFolder, 'built-from');
  const { mtimeMs } = await stat(stamp);
  await ensureBuilt();
  expect((await stat(stamp)).mtimeMs).toBe(mtimeMs);
  expect(await digestOfBuild()).toBe(await sourceDigest());
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

/** How soon it can be used is measured by the bench `panel`. */
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
    await signIn(page, server.url);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.waitForLoadState('networkidle');
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(350 * 1024);
  } finally {
    await browser.close();
  }
});

const signIn = async (page: Page, address: string) => {
  await page.goto(address);
  await page.getByLabel('E-mail').fill(login.email);
  await page.getByLabel('Password', { exact: true }).fill(login.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** An outbound call that was answered, to 4930123456. */
async function callOut(): Promise<void> {
  const at = server.env.clock.now();
  await ensureMonths(server.env, 'cdrs_out', at);
  const call = {
    ...{ id: randomUUID(), call_id: randomUUID(), account_id: server.accountId, call_type: 'INTERNATIONAL' },
    ...{ voice_out_trunk_id: randomUUID(), voice_out_trunk_name: 'Dialer', country: 'Germany', price: '0.0125' },
    ...{ time_start: at, time_connect: at, time_end: at, success: true, duration: 61, billing_duration: 66 },
    ...{ src_number: '442079460001', original_src_number: '442079460001', dst_number: '4930123456' },
    ...{ disconnect_code: 200, disconnect_reason: 'Normal call clearing' },
  };
  await server.env.db.insertInto('cdrs_out').values(call).execute();
}

test('⌘K finds an outbound call, whose page tells what happened; a low balance is announced below a threshold', async () => {
  await callOut();
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await signIn(page, server.url);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Find a page, number, order or call').fill('30123456');
    await page.getByRole('button', { name: /49 30 123456/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: '+44 20 7946 0001 → +49 30 123456' }).waitFor();
    const legs = page.getByRole('table', { name: 'The legs of the call' });
    await legs.getByText('Your equipment calls +49 30 123456 through Dialer').waitFor();
    await legs.getByText('The call ends after 1:01: Normal call clearing').waitFor();
    await page.getByText('1:06 for $0.0125').waitFor();
    await page.goto(`${server.url}/calls?direction=out`);
    await page.getByRole('row').filter({ hasText: '+49 30 123456' }).getByRole('link').click();
    await page.waitForURL(/\/calls\/out\//);

    await page.goto(`${server.url}/notifications`);
    await page.getByText('Nothing needs your attention').waitFor();
    const threshold = page.getByLabel('Tell us below');
    await threshold.fill('much');
    await page.getByRole('button', { name: 'Save threshold' }).click();
    await page.getByRole('textbox', { name: 'Tell us below' }).and(page.locator('[aria-invalid=true]')).waitFor();
    await threshold.fill('1,500');
    await page.getByRole('button', { name: 'Save threshold' }).click();
    await page.getByText('Saved: you are told below $1,500.00.').waitFor();
    await page.getByText('The balance is below $1,500.00').waitFor();
    await threshold.fill('');
    await page.getByRole('button', { name: 'Save threshold' }).click();
    await page.getByText('Saved: nobody is told.').waitFor();
    await page.getByText('Nothing needs your attention').waitFor();
    await page.getByRole('button', { name: 'Acme' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Forgotten your password?' }).click();
    await page.getByText('This server sends no e-mails.').waitFor();
    await page.getByRole('button', { name: 'Back to signing in' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  } finally {
    await browser.close();
  }
});

test('works under a path that a proxy removes, and sends links for forgotten passwords that have it', async () => {
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
  const smtp = await startMailServer();
  const mailer = smtpMailer(smtp.config);
  const behind = await startTestServer({ publicUrl, mailer, account: { name: 'Acme', ...login } });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(publicUrl);
    await page.getByLabel('E-mail').fill(login.email);
    await page.getByRole('button', { name: 'Forgotten your password?' }).click();
    await page.getByRole('button', { name: 'Send a link' }).click();
    await page.getByText(`If ${login.email} belongs to a login, a link is on its way.`).waitFor();
    await runDueJobs(behind.env);
    expect(smtp.mails.map(({ to }) => to)).toEqual([[login.email]]);
    expect(smtp.mails[0]?.content.replaceAll('=\r\n', '')).toContain(`${publicUrl}/password#`);
    await signIn(page, `${publicUrl}/trunks/new`);
    await page.getByRole('heading', { name: 'New trunk' }).waitFor();
    await page.getByRole('link', { name: 'Numbers', exact: true }).click();
    await page.getByText('You own no numbers yet').waitFor();
    expect(page.url()).toBe(`${publicUrl}/numbers`);
  } finally {
    await browser.close();
    await behind.close();
    await smtp.close();
    proxy.closeAllConnections();
    proxy.close();
  }
});
