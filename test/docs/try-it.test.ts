/** *Test request* in a real browser on a fresh local start: the key is filled in, and what is offered to send works. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src/openapi/types.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

let folder: string;
let program: Trunkline;
let browser: Browser;
let url = '';
let key = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-try-it-'));
  program = startTrunkline(folder, { TRUNKLINE_PORT: 'off' });
  [url, browser] = await Promise.all([
    program.ready().then(({ environments }) => environments.sandbox?.url ?? ''),
    launchBrowser(),
  ]);
  const demo = JSON.parse(await readFile(path.join(folder, 'data/demo.sandbox.json'), 'utf8'));
  key = demo.sandbox.accounts[0].api_keys[0].key;
});
afterAll(async () => {
  await browser?.close();
  await program?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Records that need uploads or a review first: a fresh start has none yet. */
const AFTER_PAPERWORK = new Set([
  'proofs',
  'permanent_supporting_documents',
  'encrypted_files',
  'address_verifications',
  'emergency_calling_services',
  'emergency_verifications',
]);

/** Opens the page at an operation, sends what it offers, and returns the status. */
async function tryIt(page: Page, tag: string, method: string, operation: string): Promise<number> {
  await page.goto(`${url}/docs#tag/${tag}/${method}${operation}`);
  const name = new RegExp(`Test Request\\s*\\(${method} ${operation.replace(/[{}]/g, '\\$&')}\\)`, 'i');
  await page.getByRole('button', { name }).first().click();
  const send = page.getByRole('button', { name: /^send/i }).first();
  await send.waitFor();
  const prefix = operation.split('{')[0] ?? operation;
  const answered = page.waitForResponse(
    (response) => response.request().method() === method && new URL(response.url()).pathname.startsWith(prefix),
  );
  await send.click();
  return (await answered).status();
}

describe('Test request', () => {
  test.each([
    ['coverage', 'GET', '/v3/countries', 200],
    ['did-groups', 'GET', '/v3/did_groups/{id}', 200],
    ['orders', 'POST', '/v3/orders', 201],
    ['orders', 'GET', '/v3/orders/{id}', 200],
    ['inbound-trunks', 'POST', '/v3/voice_in_trunks', 201],
    ['dids', 'PATCH', '/v3/dids/{id}', 200],
    ['account', 'GET', '/v3/balance', 200],
    ['sandbox', 'POST', '/sandbox/v1/clock', 200],
  ] as const)('%s: %s %s', async (tag, method, operation, status) => {
    const page = await browser.newPage({ viewport: { width: 1500, height: 1000 } });
    page.setDefaultTimeout(60_000);
    expect(await tryIt(page, tag, method, operation)).toBe(status);
    await page.close();
  });
});

describe('the demo account in the page', () => {
  const pageText = async (headers: Record<string, string> = {}) => {
    const { hostname, port } = new URL(url);
    return requestText({ hostname, port, path: '/docs', headers });
  };

  test('has its key filled in for a browser on this machine', async () => {
    expect(await pageText()).toContain(key);
  });

  test.each([
    ['another name in Host', { host: 'trunkline.example' }],
    ['a proxy in front', { 'x-forwarded-for': '203.0.113.9' }],
  ])('shows nothing with %s', async (_case, headers) => {
    expect(await pageText(headers)).not.toContain(key);
  });

  test('never stands in what other origins may read', async () => {
    for (const file of ['/openapi.json', '/docs/openapi.json', '/postman.json', '/llms.txt']) {
      expect(await (await fetch(`${url}${file}`)).text()).not.toContain(key);
    }
  });

  test('has records for the ids that the page offers', async () => {
    const document = JSON.parse(await (await fetch(`${url}/docs/openapi.json`)).text()) as OpenApiDocument;
    const headers = { 'api-key': key };
    const missing: string[] = [];
    for (const [operation, { get }] of Object.entries(document.paths)) {
      const [, type = ''] = /^\/v3\/(\w+)\/\{id\}/.exec(operation) ?? [];
      if (!get || type === '' || AFTER_PAPERWORK.has(type)) continue;
      const [parameter] = get.parameters ?? [];
      const id = parameter && 'example' in parameter ? String(parameter.example) : '';
      const { status } = await fetch(`${url}${operation.replace('{id}', id)}`, { headers });
      if (status !== 200) missing.push(`${operation}: ${status}`);
    }
    expect(missing).toEqual([]);
  });
});

/** `fetch` would not let a test say another Host. */
function requestText(options: http.RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
  });
}
