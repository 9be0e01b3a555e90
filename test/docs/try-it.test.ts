/** *Test request* in a real browser after a first start: the key is filled in, and what is offered to send works. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Method, OpenApiDocument, Operation } from '../../src/engines/openapi/types.ts';
import { launchBrowser } from '../support/browser.ts';
import { layOutDemo } from '../support/demo-data.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

let folder: string;
let program: Trunkline;
let browser: Browser;
let url = '';
let key = '';
let application = { key: '', secret: '' };
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-try-it-'));
  await layOutDemo(folder);
  program = startTrunkline(folder, { TRUNKLINE_PORT: 'off' });
  [url, browser] = await Promise.all([
    program.ready().then(({ environments }) => environments.sandbox?.url ?? ''),
    launchBrowser(),
  ]);
  const demo = JSON.parse(await readFile(path.join(folder, 'data/demo.sandbox.json'), 'utf8'));
  const [account] = demo.sandbox.accounts;
  key = account.api_keys[0].key;
  application = account.otp_applications[0];
});
afterAll(async () => {
  await browser?.close();
  await program?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The operations in an order in which none takes away what a later one needs. */
function operationsOf({ paths }: OpenApiDocument): { method: Method; path: string; operation: Operation }[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method as Method, path, operation })),
  );
  const steps: ((method: Method, path: string) => boolean)[] = [
    (method, path) => method === 'get' && !isOfMade(path),
    (method, path) => method === 'post' && path.startsWith('/sandbox/') && !path.includes('decision'),
    (method, path) => isOfMade(path) && (method === 'get' || method === 'put' || path.includes('/faults/')),
    (method, path) => method === 'post' && !/relationships|decision/.test(path),
    (method, path) => method === 'delete' && !path.includes('relationships'),
    (method, path) => method !== 'post' && !path.includes('relationships'),
    () => true,
  ];
  const deletes = 4;
  const stepOf = (method: Method, path: string) => steps.findIndex((belongs) => belongs(method, path));
  // What was created last is deleted first: types are listed before those that belong to them.
  const deleted = all.filter(({ method, path }) => stepOf(method, path) === deletes).reverse();
  return steps.flatMap((_step, index) =>
    index === deletes ? deleted : all.filter((each) => stepOf(each.method, each.path) === index),
  );
}

/**
 * Sends an operation as the page does: the examples of its path, query, headers and body, with the credentials that are
 * filled in.
 */
async function sendExample(document: OpenApiDocument, method: Method, path: string): Promise<Response> {
  const { parameters = [], requestBody, security = [] } = document.paths[path]?.[method] ?? {};
  const target = new URL(`${url}${path}`);
  const headers: Record<string, string> = {};
  for (const each of parameters) {
    const name = '$ref' in each ? each.$ref.replace(/^.*\//, '') : '';
    const parameter = '$ref' in each ? document.components.parameters?.[name] : each;
    const example = parameter?.example === undefined ? '' : String(parameter.example);
    if (parameter?.in === 'path') target.pathname = decodeURI(target.pathname).replace(`{${parameter.name}}`, example);
    if (parameter?.in === 'query' && example !== '') target.searchParams.set(parameter.name, example);
    if (parameter?.in === 'header' && example !== '') headers[parameter.name] = example;
  }
  const [media = '', content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const [example] = Object.values(content?.examples ?? {});
  if (media === 'application/gzip') return sendSnapshot(target);
  const { key: user, secret } = application;
  const basic = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  const isForm = media === 'multipart/form-data';
  return fetch(target, {
    method: method.toUpperCase(),
    headers: {
      ...headers,
      ...(security.some((each) => 'api_key' in each) ? { 'api-key': key } : {}),
      ...(security.some((each) => 'otp_basic' in each) ? { authorization: basic } : {}),
      ...(example && !isForm ? { 'content-type': media } : {}),
    },
    ...(example ? { body: isForm ? formWith(example.value) : JSON.stringify(example.value) } : {}),
  });
}

/** A stream goes on until it is closed. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
}

/** The visitor chooses the file: here the snapshot that another operation has made. */
async function sendSnapshot(target: URL): Promise<Response> {
  const headers = { 'api-key': key };
  const file = await (await fetch(`${url}/sandbox/v1/snapshots/with-a-number`, { headers })).arrayBuffer();
  return fetch(target, { method: 'PUT', headers: { ...headers, 'content-type': 'application/gzip' }, body: file });
}

/** The page sends the texts of a form as they are; the visitor chooses the file. */
function formWith(parts: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(Object(parts))) {
    if (name.endsWith('[file]')) form.append(name, new Blob(['encrypted']), String(value));
    else form.append(name, String(value));
  }
  return form;
}

/**
 * What the page does not know: the ids of calls and worlds are only in the responses to the requests that made them.
 */
const fromResponses: Readonly<Record<string, string>> = {
  hang_up: 'place_call',
  read_world: 'make_world',
  reset_world: 'make_world',
  end_world: 'make_world',
  remove_fault: 'add_fault',
};
const makers = new Set(Object.values(fromResponses));

/** What a fresh start has none of. A fault is removed before it meets another request. */
const isOfMade = (path: string): boolean => /^\/sandbox\/v1\/(?:worlds|faults|snapshots)\//.test(path);

/** A change of a record leaves what the page offers as it is: it is worked out anew after the others. */
const makesOrRemoves = (method: Method, path: string): boolean =>
  (method === 'post' || method === 'delete' || path.startsWith('/sandbox/')) && !path.includes('relationships');

describe('every operation', () => {
  const pageDocument = async (): Promise<OpenApiDocument> =>
    JSON.parse(await (await fetch(`${url}/docs/openapi.json`)).text());

  test('succeeds on a fresh start with what the page offers to send', { timeout: 900_000 }, async () => {
    const ids = new Map<string, string>();
    const failed: string[] = [];
    let document = await pageDocument();
    const operations = operationsOf(document);
    let isStale = false;
    for (const { method, path, operation } of operations) {
      if (isStale) document = await pageDocument();
      isStale = makesOrRemoves(method, path);
      const id = ids.get(fromResponses[operation.operationId] ?? '');
      const response = await sendExample(id === undefined ? document : withId(document, path, id), method, path);
      const text = await textOf(response);
      if (makers.has(operation.operationId)) ids.set(operation.operationId, JSON.parse(text).id);
      if (!response.ok) failed.push(`${method} ${response.url}: ${response.status} ${text}`);
    }
    expect(failed).toEqual([]);
    expect(operations.length).toBeGreaterThan(300);
  });
});

function withId(document: OpenApiDocument, path: string, id: string): OpenApiDocument {
  const item = Object.entries(document.paths[path] ?? {}).map(([method, operation]) => [
    method,
    { ...operation, parameters: [{ name: 'id', in: 'path', example: id, schema: {} }] },
  ]);
  return { ...document, paths: { [path]: Object.fromEntries(item) } };
}

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
  const status = (await answered).status();
  await page.keyboard.press('Escape');
  await send.waitFor({ state: 'hidden' });
  return status;
}

describe('Test request', () => {
  // One page for all: it takes longer to be drawn than everything that is done with it.
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage({ viewport: { width: 1500, height: 1000 } });
    page.setDefaultTimeout(60_000);
  });

  test.each([
    ['did-groups', 'GET', '/v3/did_groups/{id}', 200],
    ['orders', 'POST', '/v3/orders', 201],
    ['dids', 'PATCH', '/v3/dids/{id}', 200],
    ['sandbox', 'POST', '/sandbox/v1/clock', 200],
  ] as const)('%s: %s %s', async (tag, method, operation, status) => {
    expect(await tryIt(page, tag, method, operation)).toBe(status);
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
