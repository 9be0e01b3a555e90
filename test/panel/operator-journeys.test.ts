/** What an operator does in the panel, and how people sign in, in a real browser on a real first start. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { machineClock } from '../../src/base/clock.ts';
import { stepAt, totpCode } from '../../src/business/accounts/totp.ts';
import { testAuthority } from '../../src/engines/stir/test-authority.fixture.ts';
import { openPanelBrowser } from '../support/panel-browser.ts';
import { useOpened } from '../support/use.ts';

const panel = useOpened(openPanelBrowser);

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

async function enter(page: Page, login: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail').fill(login.email);
  await page.getByLabel('Password', { exact: true }).fill(login.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function openAccount(page: Page): Promise<void> {
  await page.goto(`${panel.url}/operator/accounts`);
  await page.getByRole('link', { name: 'Demo', exact: true }).click();
  await heading(page, 'Demo');
}

/** Records of /operator/v1, read with the operator's key. */
async function asked(path: string) {
  const response = await fetch(`${panel.url}/operator/v1/${path}`, { headers: { 'api-key': panel.operatorKey } });
  return JSON.parse(await response.text()).data;
}

test('suspends and resumes a customer, who is told why', async () => {
  const page = await panel.staff();
  await heading(page, 'Overview');
  await openAccount(page);
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await page.getByLabel('Reason').fill('The invoice of May is not paid');
  await page.getByRole('button', { name: 'Suspend account' }).click();
  await page.getByText('This account is suspended').waitFor();
  const ask = async () => {
    const answer = await fetch(`${panel.url}/v3/balance`, { headers: { 'api-key': panel.apiKey } });
    return [answer.status, await answer.text()];
  };
  await expect.poll(ask).toEqual([403, expect.stringContaining('The invoice of May is not paid')]);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('This account is suspended').waitFor({ state: 'detached' });
  await expect.poll(async () => (await ask())[0]).toBe(200);
  await page.getByText('account.resumed').first().waitFor();
});

test('corrects a balance and finds it in the ledger and the audit log', async () => {
  const page = await panel.staff('/operator/accounts');
  await openAccount(page);
  await page.getByRole('button', { name: 'Adjust balance' }).click();
  await page.getByRole('textbox', { name: 'Amount' }).fill('12.34');
  await page.getByRole('button', { name: 'Book it' }).click();
  await page.getByText(/can't be blank/i).waitFor();
  await page.getByRole('textbox', { name: 'Reason' }).fill('<img src=x onerror=alert(1)> goodwill');
  await page.getByRole('button', { name: 'Book it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto(`${panel.url}/operator/adjustments`);
  const row = page.getByRole('row').filter({ hasText: 'goodwill' });
  await row.getByText('12.34').waitFor();
  await row.getByText('<img src=x onerror=alert(1)> goodwill').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  await page.goto(`${panel.url}/operator/audit?action=adjustment.created`);
  await page.getByRole('row').filter({ hasText: 'goodwill' }).waitFor();
  expect(await page.locator('main img').count()).toBe(0);
});

test('acts as a customer under a banner, and stops', async () => {
  const page = await panel.open();
  await page.goto(panel.url);
  await enter(page, panel.operator);
  await heading(page, 'Overview');
  await openAccount(page);
  await page.getByRole('button', { name: 'Act as this customer' }).click();
  const why = page.getByRole('dialog', { name: 'Act as Demo' });
  await why.getByLabel('Reason').fill('Ticket 9');
  await why.getByRole('button', { name: 'Act as this customer' }).click();
  await heading(page, 'Home');
  await page.getByText('You act as Demo').waitFor();
  await page.goto(`${panel.url}/numbers`);
  await page.getByRole('table', { name: 'numbers' }).waitFor();
  await page.getByText('You act as Demo').waitFor();
  await page.getByRole('button', { name: 'Stop acting' }).click();
  await heading(page, 'Demo');
  await page.getByText('session.acting_ended').first().waitFor();
  await page.goto(`${panel.url}/numbers`);
  await heading(page, 'Overview');
});

test('approves a submission with one key, and the customer sees it', async () => {
  const read = async (path: string) => {
    const response = await fetch(`${panel.url}/v3${path}`, { headers: { 'api-key': panel.apiKey } });
    return JSON.parse(await response.text()).data;
  };
  const pending = async () => (await read('/emergency_verifications?filter[status]=pending'))[0]?.id ?? null;
  // The demo's paperwork is ready later than the rest: its keys take some seconds.
  await expect.poll(pending, { timeout: 120_000, interval: 500 }).not.toBeNull();
  const id = await pending();
  const page = await panel.staff('/operator/review?status=pending');
  await page.getByRole('table', { name: 'submissions' }).waitFor();
  await page.goto(`${panel.url}/operator/review/${id}`);
  await page.getByRole('region', { name: 'What is asked for' }).waitFor();
  await page.getByRole('cell', { name: 'Jane', exact: true }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await page.keyboard.press('a');
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await expect.poll(async () => (await read(`/emergency_verifications/${id}`)).attributes.status).toBe('approved');
  await page.goto(`${panel.url}/operator/review/${id}`);
  await page.getByText('approved').first().waitFor();
  const customer = await panel.customer('/emergency');
  await customer
    .getByText(/active/i)
    .first()
    .waitFor();
});

test('a catalogue file with mistakes is refused line by line, and a sound one is taken', async () => {
  const page = await panel.staff('/operator/imports');
  const handIn = async (content: string) => {
    await page.goto(`${panel.url}/operator/imports`);
    await page.getByRole('button', { name: 'Import a file' }).click();
    const buffer = Buffer.from(content);
    await page.locator('input[type=file]').setInputFiles({ name: 'numbers.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Check the file' }).click();
    await heading(page, 'numbers.csv');
  };
  const header = 'number,country,prefix,did_group_type';
  await handIn(`${header}\n13325559901,US,332,Local\nnot a number,US,332,Local\n13325559901,US,332,Local\n`);
  await page.getByText('Nothing was imported').waitFor();
  const report = page.getByRole('list', { name: 'Invalid lines' });
  await report.getByText(/^line 3: /).waitFor();
  await report.getByText(/^line 4: .*twice/).waitFor();
  await handIn(`${header}\n13325559901,US,332,Local\n`);
  await page.getByText('The file is sound').waitFor();
});

test('adds a carrier and a provider with their routes, tests the provider, and takes both away again', async () => {
  const page = await panel.staff('/operator/carriers/new');
  const remove = async (what: string) => {
    await page.getByRole('button', { name: what, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: what, exact: true }).click();
  };
  const addRoute = async (digits: string) => {
    await page.getByRole('button', { name: 'Add a route' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Numbers that begin with').fill(digits);
    await dialog.getByRole('button', { name: 'Add route' }).click();
    await page.getByRole('table', { name: 'Routes' }).getByText(`+${digits}`).waitFor();
  };
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Journey Telecom');
  await page.getByLabel('Calls go to').fill('not a host');
  await page.getByRole('button', { name: 'Add carrier' }).click();
  await page
    .getByRole('alert')
    .getByText(/not a host/)
    .waitFor();
  await page.getByLabel('Calls go to').fill('sip.journey.example');
  await page.getByRole('button', { name: 'Add carrier' }).click();
  await heading(page, 'Journey Telecom');
  await addRoute('4479');
  await page.getByLabel('Password', { exact: true }).fill('secret');
  await page.getByLabel('User name').fill('us');
  await page.getByRole('switch', { name: 'Mark numbers with user=phone' }).click();
  await page.getByRole('combobox', { name: 'Reliable ringing (100rel, PRACK)' }).click();
  await page.getByRole('option', { name: 'Required' }).click();
  await page.getByRole('button', { name: 'Save carrier' }).click();
  await expect
    .poll(async () => (await asked('carriers?filter[name]=Journey Telecom'))[0].attributes)
    .toMatchObject({ has_password: true, user_phone: true, reliable_provisionals: 'required' });
  await remove('Remove carrier');
  await heading(page, 'Carriers');
  expect(await asked('carriers?filter[name]=Journey Telecom')).toEqual([]);

  await page.goto(`${panel.url}/operator/providers/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('journey-sms');
  await page.getByRole('button', { name: 'Add provider' }).click();
  await page.getByRole('alert').getByText(/url/).waitFor();
  await page.getByLabel('URL').fill('https://sms.journey.example/send');
  await page.getByRole('button', { name: 'Add provider' }).click();
  await heading(page, 'journey-sms');
  const receipts = page.getByRole('region', { name: 'Delivery receipts' });
  await receipts.getByRole('button', { name: 'Make a secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make a secret' }).click();
  const secret = (await receipts.getByRole('status').locator('code').textContent()) ?? '';
  const tell = (token: string) =>
    fetch(`${panel.url}/providers/journey-sms/receipts`, { headers: { authorization: `Bearer ${token}` } });
  expect([(await tell(secret)).status, (await tell(`${secret}x`)).status]).toEqual([400, 401]);
  await page.getByLabel('Phone').fill('+44 7700 900123');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('the sandbox sends nothing to providers').waitFor();
  await addRoute('4478');
  await remove('Remove provider');
  await heading(page, 'Providers');
});

test('limits what may be spent on risky destinations, for everyone and for one customer, and names a caller', async () => {
  const page = await panel.staff('/operator/risks');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Change the limit of high for everyone' }).click();
  await dialog.getByLabel('A day').fill('40');
  await dialog.getByRole('button', { name: 'Save limit' }).click();
  const everyone = page.getByRole('row').filter({ hasText: 'everyone else' });
  await everyone.filter({ hasText: 'High' }).getByText('40.00').waitFor();
  await page.getByRole('button', { name: 'Limit a customer' }).click();
  await dialog.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'Demo', exact: true }).click();
  await dialog.getByRole('button', { name: 'Add limit' }).click();
  const own = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Demo' }) });
  await own.getByText('no limit').waitFor();
  expect(await asked('risk_limits?filter[risk]=high')).toHaveLength(2);
  await own.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await own.waitFor({ state: 'detached' });

  await page.getByText('Prefixes', { exact: true }).click();
  await page.getByRole('button', { name: 'Add a prefix' }).click();
  await dialog.getByLabel('Numbers that begin with').fill('+99999');
  await dialog.getByLabel('Which destinations').fill('Nowhere');
  await dialog.getByRole('button', { name: 'Add prefix' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.goto(`${panel.url}/operator/risks?view=prefixes&q=99999`);
  const prefix = page.getByRole('row').filter({ hasText: '+99999' });
  await prefix.getByText('Nowhere').waitFor();
  await prefix.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await prefix.waitFor({ state: 'detached' });

  await page.goto(`${panel.url}/operator/caller-names`);
  await page.getByRole('button', { name: 'Add a name' }).click();
  await dialog.getByLabel('Number').fill('+44 20 7946 0001');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ann Lee');
  await dialog.getByRole('button', { name: 'Add name' }).click();
  await page.getByRole('row').filter({ hasText: 'Ann Lee' }).waitFor();
  const [name] = await asked('caller_names?filter[number]=442079460001');
  expect(name.attributes).toEqual({ number: '442079460001', name: 'Ann Lee' });
});

test('loads a certificate that signs calls, is told what is wrong with it, switches it off and removes it', async () => {
  const page = await panel.staff('/operator/signing');
  const dialog = page.getByRole('dialog');
  const until = '2099-01-01T00:00:00Z';
  const authority = testAuthority({ until });
  const signer = authority.issue({ name: 'Trunkline Test', until });
  await page.getByRole('button', { name: 'Add a certificate' }).first().click();
  await dialog.getByLabel('Name').fill('first');
  await dialog.getByLabel('Certificates (PEM)').fill(signer.pem + authority.pem);
  await dialog.getByLabel('Private key (PEM)').fill(authority.keyPem);
  await dialog.getByLabel('Where others fetch the chain').fill('https://certs.test/first.pem');
  await dialog.getByRole('button', { name: 'Add certificate' }).click();
  await dialog.getByText(/does not fit/).waitFor();
  await dialog.getByLabel('Private key (PEM)').fill(signer.keyPem);
  await dialog.getByRole('button', { name: 'Add certificate' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('row').filter({ hasText: 'Trunkline Test' });
  await row.getByText('signs', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Change first' }).click();
  await dialog.getByRole('switch', { name: 'In use' }).click();
  await dialog.getByRole('button', { name: 'Save certificate' }).click();
  await row.getByText('off', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
});

test('blocks a prefix and lifts it, sets a guard, holds numbers back, and keeps notes and prices of a customer', async () => {
  const page = await panel.staff('/operator/prefixes');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Decide on a prefix' }).click();
  await dialog.getByLabel('Numbers that begin with').fill('88216');
  await dialog.getByRole('button', { name: 'Decide' }).click();
  await dialog.getByText(/can't be blank/i).waitFor();
  await dialog.getByLabel('Reason').fill('Codes never come back');
  await dialog.getByRole('button', { name: 'Decide' }).click();
  const row = page.getByRole('row').filter({ hasText: '+88216' });
  await row.getByText('blocked', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Lift' }).click();
  await dialog.getByLabel('Reason').fill('It was a campaign');
  await dialog.getByRole('button', { name: 'Lift it' }).click();
  await row.getByText(/It was a campaign/).waitFor();

  // From a customer's page the decision is for that customer alone.
  await openAccount(page);
  await page.getByRole('link', { name: 'Prefix blocks' }).last().click();
  await page.getByRole('button', { name: 'Decide on a prefix' }).click();
  await dialog.getByLabel('Numbers that begin with').fill('+88217');
  await expect.poll(() => dialog.getByRole('combobox', { name: 'For' }).inputValue()).toBe('Demo');
  await dialog.getByLabel('Reason').fill('Their sign-up form is abused');
  await dialog.getByRole('button', { name: 'Decide' }).click();
  await page.getByRole('row').filter({ hasText: '+88217' }).getByRole('link', { name: 'Demo' }).waitFor();
  const [decision] = await asked('prefix_blocks?filter[prefix]=88217&include=account');
  expect(decision.relationships.account.data).toMatchObject({ type: 'accounts' });

  await page.goto(`${panel.url}/operator/verification-rates`);
  await page.getByRole('button', { name: 'Add a price' }).click();
  await dialog.getByLabel('Numbers that begin with').fill('49');
  await dialog.getByLabel('Price').fill('much');
  await dialog.getByRole('button', { name: 'Add price' }).click();
  await dialog.getByRole('textbox', { name: 'Price' }).and(page.locator('[aria-invalid=true]')).waitFor();
  await dialog.getByLabel('Price').fill('0.0375');
  await dialog.getByRole('button', { name: 'Add price' }).click();
  const price = page.getByRole('row').filter({ hasText: '+49' });
  await price.getByText('0.0375').waitFor();
  await price.getByRole('button', { name: 'Change' }).click();
  await dialog.getByLabel('Price').fill('0.04');
  await dialog.getByRole('button', { name: 'Save price' }).click();
  await price.getByText('$0.04', { exact: true }).waitFor();

  await page.goto(`${panel.url}/operator/guards?q=dailyVolume`);
  await page.getByRole('button', { name: 'Change Daily volume' }).click();
  await dialog.getByLabel('Value').fill('many');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/dailyVolume must be a whole number/).waitFor();
  await dialog.getByLabel('Value').fill('5000');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: '5000', exact: true }).waitFor();

  const [group] = await asked('stock?filter[available_gteq]=2&filter[country_iso]=US');
  const before = group.attributes.available;
  await page.goto(`${panel.url}/operator/stock?q=US`);
  const held = page
    .getByRole('row')
    .filter({ hasText: group.attributes.area_name })
    .filter({ hasText: String(before) });
  await held.getByRole('button', { name: 'Hold …' }).first().click();
  await dialog.getByLabel('Reason').fill('Complaints about old calls');
  await dialog.getByRole('button', { name: 'Do it' }).click();
  await dialog.getByText(/numbers were reached/).waitFor();
  await expect.poll(async () => (await asked('held_numbers?page[size]=1')).length).toBe(1);

  await openAccount(page);
  const notes = page.getByRole('region', { name: 'Notes' });
  await notes.getByLabel('New note').fill('Pays by bank transfer <b>only</b>');
  await notes.getByRole('button', { name: 'Add note' }).click();
  await notes.getByText('Pays by bank transfer <b>only</b>').first().waitFor();
  const prices = page.getByRole('region', { name: 'Prices' });
  await prices.getByRole('button', { name: 'Adjust a price' }).click();
  await dialog.getByRole('combobox', { name: 'What is sold' }).click();
  await page.getByRole('option', { name: 'Termination' }).click();
  await dialog.getByRole('button', { name: 'Adjust' }).click();
  await dialog.getByText(/either by a percentage or by a fixed amount/).waitFor();
  await dialog.getByLabel('Percent').fill('-10');
  await dialog.getByRole('button', { name: 'Adjust' }).click();
  await prices.getByText('−10 %').waitFor();
});

test('looks a number up, tries its route, and goes there by ⌘K', async () => {
  const page = await panel.staff('/operator/numbers');
  await page
    .getByRole('table', { name: 'numbers' })
    .getByRole('link', { name: /^\+[\d\s]+$/ })
    .first()
    .click();
  await heading(page, /^\+[\d\s]+$/);
  await page.getByRole('link', { name: 'Try its route' }).click();
  await heading(page, 'Routing dry run');
  await page.getByText(/The call would be/).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Find a customer, number, order or page').fill('demo@');
  await page.getByText('demo@trunkline.test').waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Demo');
});

test('signs in with a code of an app, with a passkey, and is let in nowhere without', async () => {
  const page = await panel.open();
  const url = panel.url.replace('127.0.0.1', 'localhost');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${url}/login`);
  await enter(page, panel.login);
  await heading(page, 'Your login');
  await page.getByRole('button', { name: 'Set up an app' }).click();
  // A session alone does not change the login.
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Your password').fill('not the password');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByText('The password is not right').waitFor();
  await dialog.getByLabel('Your password').fill(panel.login.password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const secret = (await page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
  await page.getByLabel('Code from your app').fill(totpCode(secret, stepAt(machineClock.now())));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('Your recovery codes').waitFor();
  await page.getByLabel('Name of the new passkey').fill('Virtual');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('cell', { name: 'Virtual', exact: true }).waitFor();
  const signOut = async () => {
    await page.getByRole('button', { name: 'Demo', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  };
  await signOut();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await heading(page, 'Your login');
  await signOut();
  await enter(page, panel.login);
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The code is not right').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, stepAt(machineClock.now()) + 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Your login');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('button', { name: 'Set up an app' }).waitFor();
});

test('invites a colleague, who sets a password and may only look', async () => {
  const page = await panel.customer('/team');
  await page.getByLabel('E-mail of a colleague').fill('colleague@trunkline.test');
  await page.getByRole('combobox', { name: 'Role', exact: true }).first().click();
  await page.getByRole('option', { name: 'Read-only' }).click();
  await page.getByRole('button', { name: 'Invite' }).click();
  const link =
    (await page
      .getByRole('status')
      .getByText(/\/password#/)
      .textContent()) ?? '';
  const other = await panel.open();
  await other.goto(link);
  await other.getByLabel('New password').fill('the password of a colleague');
  await other.getByRole('button', { name: 'Set password' }).click();
  await other.getByRole('link', { name: 'Sign in' }).click();
  await enter(other, { email: 'colleague@trunkline.test', password: 'the password of a colleague' });
  await heading(other, 'Home');
  await other.goto(`${panel.url}/trunks/new`);
  await other.getByLabel('Name').fill('Not allowed');
  await other.getByRole('textbox', { name: 'Host', exact: true }).fill('sip.example.com');
  await other.getByRole('button', { name: 'Add trunk' }).click();
  await other.getByText(/The role read-only may not/).waitFor();
});

test('no page complained', () => {
  expect(panel.problems).toEqual([]);
});
