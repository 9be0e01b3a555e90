/**
 * Two real processes on one PostgreSQL, and a tab at each: what happens in one process is seen at once in the other.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { createTestDatabase } from '../support/database.ts';
import { login } from '../support/panel-client.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

const application = { key: '7c9e6679-7425-40de-944b-e07fc1f90ae7', secret: 'A'.repeat(43) };
const otp = { name: 'web', ...application, minimum_mode: 'basic', callback_url: null };
const account = { name: 'Acme', ...login, balance: '100.00', otp_applications: [otp] };

test('a code that one process sends appears in the tabs of both', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'trunkline-two-'));
  const database = await createTestDatabase();
  const bootstrap = path.join(folder, 'bootstrap.json');
  await writeFile(bootstrap, JSON.stringify({ sandbox: { accounts: [account] } }));
  const started: Trunkline[] = [];
  const start = async (name: string) => {
    const trunkline = startTrunkline(folder, {
      TRUNKLINE_PORT: 'off',
      TRUNKLINE_SANDBOX_SIP_PORT: 'off',
      SANDBOX_DATABASE_URL: database.url,
      TRUNKLINE_BOOTSTRAP: bootstrap,
      TRUNKLINE_READY_FILE: path.join(folder, `${name}.json`),
    });
    started.push(trunkline);
    return (await trunkline.ready()).environments.sandbox?.url ?? '';
  };
  const browser = await launchBrowser();
  try {
    const first = await start('first');
    const second = await start('second');
    const context = await browser.newContext();
    context.setDefaultTimeout(60_000);
    const one = await context.newPage();
    await one.goto(`${first}/inbox`);
    await one.getByLabel('E-mail').fill(login.email);
    await one.getByLabel('Password', { exact: true }).fill(login.password);
    await one.getByRole('button', { name: 'Sign in' }).click();
    await one.getByText('No messages yet').waitFor();
    // Browsers send a cookie to every port of a host, and the session is in the database: both processes know it.
    const other = await context.newPage();
    await other.goto(`${second}/inbox`);
    await other.getByText('No messages yet').waitFor();

    const authorization = `Basic ${Buffer.from(`${application.key}:${application.secret}`).toString('base64')}`;
    const sent = await fetch(`${second}/api/v1/verifications`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { destination: '+447700900777', delivery_method: 'sms' } }),
    });
    expect(sent.status).toBeLessThan(300);
    for (const tab of [one, other]) {
      // A tab in the background does not listen; it reads anew when it is shown again.
      await tab.bringToFront();
      await tab.getByText('+44 7700 900777').waitFor();
    }
  } finally {
    await browser.close();
    await Promise.all(started.map((trunkline) => trunkline.stop()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
