/** The panel of a real first start in a real browser, signed in as the demo account. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { startTrunkline } from './trunkline.ts';

export interface PanelBrowser {
  /** Of the sandbox. */
  readonly url: string;
  /** Its SIP over UDP. */
  readonly sipPort: number;
  readonly login: { email: string; password: string };
  readonly operator: { email: string; password: string };
  /** Of the operator, for /operator/v1. */
  readonly operatorKey: string;
  readonly application: { key: string; secret: string };
  readonly apiKey: string;
  readonly browser: Browser;
  /** A page of a browser of its own that nobody has signed in to. Its errors end up in `problems`. */
  open(options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  /** As the demo account. Whoever has signed in before goes on with that session, in whichever page. */
  signIn(page: Page, address?: string): Promise<void>;
  /** The same in a session of its own: some acts need one that began within five minutes. */
  signInAnew(page: Page, address?: string): Promise<void>;
  signInAs(page: Page, login: { email: string; password: string }, address?: string): Promise<void>;
  /** What pages complained about: errors in the console, requests to elsewhere, uncaught exceptions. */
  readonly problems: string[];
  close(): Promise<void>;
}

export const screenshots = path.join(import.meta.dirname, '../output/panel');

export async function openPanelBrowser(): Promise<PanelBrowser> {
  const folder = await mkdtemp(path.join(tmpdir(), 'trunkline-panel-'));
  const trunkline = startTrunkline(folder, { TRUNKLINE_PORT: 'off' });
  const { sandbox } = (await trunkline.ready()).environments;
  const url = sandbox?.url ?? '';
  const demo = JSON.parse(await readFile(path.join(folder, 'data/demo.sandbox.json'), 'utf8'));
  const [account] = demo.sandbox.accounts;
  const { email, password } = account;
  const browser = await launchBrowser();
  await mkdir(screenshots, { recursive: true });
  const problems: string[] = [];
  const contexts: BrowserContext[] = [];
  /** E-mail address → cookies of the session in which that person signed in last. */
  const known = new Map<string, Cookie[]>();
  const enter = async (page: Page, person: { email: string; password: string }, address = '/') => {
    await page.context().addCookies(known.get(person.email) ?? []);
    await page.goto(`${url}${address}`);
    const menu = page.getByRole('navigation', { name: 'Pages' });
    const email = page.getByLabel('E-mail', { exact: true });
    await menu.or(email).first().waitFor({ state: 'attached' });
    if (await email.isVisible()) {
      await email.fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await menu.waitFor({ state: 'attached' });
    }
    known.set(person.email, await page.context().cookies(url));
  };
  const signIn = async (page: Page, address = '/') => {
    await enter(page, { email, password }, address);
    await page.getByRole('button', { name: account.name, exact: true }).waitFor();
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
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(60_000);
      contexts.push(context);
      const page = await context.newPage();
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
      return page;
    },
    signIn,
    signInAnew: (page, address) => {
      known.delete(email);
      return signIn(page, address);
    },
    signInAs: enter,
    close: async () => {
      for (const context of contexts) await context.close();
      await browser.close();
      await trunkline.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
