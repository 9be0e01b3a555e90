/** The panel in a real browser, signed in as the demo account of a first start. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { launchBrowser } from './browser.ts';
import { layOutDemo } from './demo-data.ts';
import { startTrunkline } from './trunkline.ts';

interface Person {
  email: string;
  password: string;
}

export interface PanelBrowser {
  /** Of the sandbox. */
  readonly url: string;
  /** Its SIP over UDP. */
  readonly sipPort: number;
  readonly login: Person;
  readonly operator: Person;
  /** Of the operator, for /operator/v1. */
  readonly operatorKey: string;
  readonly application: { key: string; secret: string };
  readonly apiKey: string;
  readonly browser: Browser;
  /**
   * A page of a browser of its own that nobody has signed in to. It is closed when the test ends: an open page goes on
   * painting and reading what changes.
   */
  open(options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  /** A tab with the demo account signed in, closed when the test ends; the tabs of one person share a browser. */
  customer(address?: string): Promise<Page>;
  /** The same of the operator. */
  staff(address?: string): Promise<Page>;
  /** Gives a browser a new session of a person without the form; some acts need one that began within five minutes. */
  signIn(page: Page, person: Person, address?: string): Promise<void>;
  /** What pages complained about: errors in the console, requests to elsewhere, uncaught exceptions. */
  readonly problems: string[];
  close(): Promise<void>;
}

export const screenshots = path.join(import.meta.dirname, '../output/panel');

/** `browserArgs` are further ones of Chromium. */
export async function openPanelBrowser(browserArgs: readonly string[] = []): Promise<PanelBrowser> {
  const folder = await mkdtemp(path.join(tmpdir(), 'trunkline-panel-'));
  await layOutDemo(folder);
  const trunkline = startTrunkline(folder, { TRUNKLINE_PORT: 'off' });
  const { sandbox } = (await trunkline.ready()).environments;
  const url = sandbox?.url ?? '';
  const demo = JSON.parse(await readFile(path.join(folder, 'data/demo.sandbox.json'), 'utf8'));
  const [account] = demo.sandbox.accounts;
  const { email, password } = account;
  const browser = await launchBrowser(browserArgs);
  await mkdir(screenshots, { recursive: true });
  const problems: string[] = [];
  const newContext = async (options?: Parameters<Browser['newContext']>[0]) => {
    // Each frame of what moves is painted by the processor.
    const usual = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const;
    const context = await browser.newContext({ ...usual, ...options });
    context.setDefaultTimeout(60_000);
    context.on('page', (page) => watch(page, url, problems));
    return context;
  };
  const signIn = async (page: Page, person: Person, address = '/') => {
    await page.context().addCookies([await sessionOf(url, person)]);
    await page.goto(`${url}${address}`);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' });
  };
  /** E-mail address → the browser of that person. */
  const known = new Map<string, Promise<BrowserContext>>();
  const tab = async (person: Person, address = '/') => {
    const context = known.get(person.email) ?? newContext();
    known.set(person.email, context);
    const page = await (await context).newPage();
    onTestFinished(() => page.close());
    await signIn(page, person, address);
    return page;
  };
  return {
    url,
    sipPort: sandbox?.sip?.udp ?? 0,
    login: { email, password },
    operator: demo.sandbox.operators[0],
    operatorKey: demo.sandbox.operators[0].api_keys[0].key,
    application: account.otp_applications[0],
    apiKey: account.api_keys[0].key,
    browser,
    problems,
    open: async (options) => {
      const context = await newContext(options);
      onTestFinished(() => context.close());
      return context.newPage();
    },
    customer: (address) => tab({ email, password }, address),
    staff: (address) => tab(demo.sandbox.operators[0], address),
    signIn,
    close: async () => {
      await browser.close();
      await trunkline.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a page complains about goes into `problems`. */
function watch(page: Page, url: string, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // Refusals that a test provokes are logged by the browser itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('request', (request) => {
    // Passkeys need a host name, so some pages are opened under the other name of this machine.
    const asked = request.url().replace('//localhost:', '//127.0.0.1:');
    if (!asked.startsWith(url) && !/^(data|blob):/.test(asked)) problems.push(asked);
  });
}

/** The cookie of a new session; the form is clicked in the journeys that are about signing in. */
async function sessionOf(url: string, person: Person): Promise<{ name: string; value: string; url: string }> {
  const response = await fetch(`${url}/panel/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-trunkline-panel': '1', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: person.email, password: person.password }),
  });
  expect(response.status, await response.text()).toBe(201);
  const [name = '', value = ''] = response.headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? [];
  return { name, value, url };
}
