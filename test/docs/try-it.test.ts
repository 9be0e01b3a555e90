/** *Try it* in a real browser after a first start: the key is filled in, and what is offered to send works. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Method, OpenApiDocument, Operation } from '../../src/engines/openapi/types.ts';
import type { SampleRequest } from '../../src/interfaces/server/docs/sample.ts';
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

const pageOf = ({ tags: [tag = ''] }: Pick<Operation, 'tags'>): string =>
  `${url}/docs/reference/${tag.toLowerCase().replaceAll(' ', '-')}`;

const plain = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Pages as they were read, until something is made or removed: then they may offer something else. */
const pages = new Map<string, string>();

/** What the page of an operation offers to send. */
async function offered(operation: Operation): Promise<SampleRequest> {
  const address = pageOf(operation);
  const page = pages.get(address) ?? (await (await fetch(address)).text());
  pages.set(address, page);
  const section = page.slice(page.indexOf(`id="${operation.operationId}"`));
  return JSON.parse(plain(/data-request="([^"]*)"/.exec(section)?.[1] ?? ''));
}

/** Sends it as the page does, with the credentials that are filled in. */
async function send({ method, path, headers, access, bodies, media }: SampleRequest): Promise<Response> {
  const target = new URL(`${url}${path}`);
  if (media === 'application/gzip') return sendSnapshot(target);
  const { key: user, secret } = application;
  const [body] = bodies;
  const isForm = media === 'multipart/form-data';
  return fetch(target, {
    method,
    headers: {
      ...headers,
      ...(access === 'api-key' ? { 'api-key': key } : {}),
      ...(access === 'application'
        ? { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` }
        : {}),
      ...(body && !isForm ? { 'content-type': media ?? '' } : {}),
    },
    ...(body ? { body: isForm ? formWith(body.value) : JSON.stringify(body.value) } : {}),
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

/** A change of a record leaves what the pages offer as it is. */
const makesOrRemoves = (method: Method, path: string): boolean =>
  (method === 'post' || method === 'delete' || path.startsWith('/sandbox/')) && !path.includes('relationships');

describe('every operation', () => {
  test('succeeds on a fresh start with what the page offers to send', { timeout: 900_000 }, async () => {
    const ids = new Map<string, string>();
    const failed: string[] = [];
    const operations = operationsOf(JSON.parse(await (await fetch(`${url}/openapi.json`)).text()));
    for (const { method, path: pattern, operation } of operations) {
      const request = await offered(operation);
      const id = ids.get(fromResponses[operation.operationId] ?? '');
      const path = id === undefined ? request.path : request.path.replace(/(?<=\/(?:worlds|faults|calls)\/)[^/?]+/, id);
      const response = await send({ ...request, path });
      const text = await textOf(response);
      if (makers.has(operation.operationId)) ids.set(operation.operationId, JSON.parse(text).id);
      if (makesOrRemoves(method, pattern)) pages.clear();
      if (!response.ok) failed.push(`${request.method} ${response.url}: ${response.status} ${text}`);
    }
    expect(failed).toEqual([]);
    expect(operations.length).toBeGreaterThan(300);
  });
});

describe('Try it', () => {
  test.each([
    ['did-groups', 'read_did_groups', 'GET', 200],
    ['orders', 'create_orders', 'POST', 201],
    ['dids', 'update_dids', 'PATCH', 200],
    ['sandbox', 'advance_clock', 'POST', 200],
  ] as const)('%s: %s', async (group, operation, method, status) => {
    const page = await browser.newPage({ viewport: { width: 1500, height: 1000 } });
    page.setDefaultTimeout(60_000);
    await page.goto(`${url}/docs/reference/${group}#${operation}`);
    const section = page.locator(`#${operation}`);
    await section.getByRole('button', { name: `Try it (${method}` }).click();
    await section.getByRole('button', { name: 'Send' }).click();
    await section.locator('form[data-status]').waitFor();
    expect(await section.locator('form').getAttribute('data-status')).toBe(String(status));
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
    for (const file of ['/openapi.json', '/docs/search.json', '/postman.json', '/llms.txt']) {
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
