/** Every command either only reads, or writes an entry to the audit log: a new command has to be put on one side. */
import { expect, test } from 'vitest';
import { openCommandPlace, run } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';
import { index, loadCommands } from './commands.ts';

const commands = await loadCommands();

useOpened(() => openCommandPlace());

/** They change nothing, or nothing that belongs to an environment. */
const reading = [
  ...['serve', 'phone', 'init', 'migrate', 'completion', 'clock show', 'catalogue export'],
  ...['account list', 'account show', 'keys list', 'operator list', 'operator-keys list', 'audit list'],
  ...['deliveries list', 'deliveries show', 'jobs list', 'jobs show', 'call-events log', 'ledger verify'],
  ...['otp list', 'otp-providers list', 'otp-routes list', 'otp-rates list', 'otp-guards list', 'otp-guards blocked'],
  ...['otp-calls list', 'otp-calls totals'],
  ...['prices list', 'prices export', 'price-adjustments list', 'invoice list', 'invoice print', 'statement show'],
  ...[
    'voice-rates list',
    'carrier list',
    'risk list',
    'names list',
    'names look-up',
    'route list',
    'carrier-rates list',
    'invoice preview',
    'review list',
    'review show',
  ],
  ...['otp-conversion report', 'otp-prefixes list'],
  ...['lookup', 'stock list', 'stock waiting'],
  ...['call list', 'call watch', 'call trace', 'call refusals', 'edge config'],
  ...['carrier health', 'trunk health', 'signing-certificate list', 'supplier list'],
  // Requests with a customer's key to a sandbox that runs.
  ...['world new', 'world list', 'world reset', 'world end', 'listen', 'seed', 'trigger'],
  ...['snapshot save', 'snapshot load', 'snapshot list', 'snapshot drop'],
  // Simulated calls are what a caller does, not an operator.
  ...['call simulate', 'call simulate-out'],
];

/** Their workflows write the entry, since requests use them too. */
const byWorkflow = [
  ...['account create', 'account update', 'account suspend', 'account resume', 'account close', 'account top-up'],
  ...['account credit', 'account debit'],
  ...['keys create', 'keys revoke', 'operator create', 'operator update', 'operator remove'],
  ...['operator-keys create', 'operator-keys revoke', 'jobs retry', 'jobs discard'],
  ...['deliveries replay', 'deliveries discard', 'deliveries replay-all', 'deliveries discard-all'],
  ...['account note', 'otp-prefixes block', 'otp-prefixes safe', 'otp-prefixes monitor', 'otp-prefixes lift'],
  ...['stock withdraw', 'stock quarantine', 'stock release', 'stock move'],
  ...['server-key reseal', 'snapshot whole'],
  ...['review open', 'review approve', 'review reject'],
  ...['prices import', 'prices confirm', 'prices withdraw', 'price-adjustments set', 'price-adjustments remove'],
  ...['refund create', 'invoice issue', 'invoice issue-all', 'account billing', 'account erase'],
  ...['otp-providers test', 'carrier test'],
  ...['carrier create', 'carrier update', 'carrier remove', 'route add', 'route remove'],
  ...['signing-certificate create', 'signing-certificate update', 'signing-certificate remove'],
  ...['supplier add', 'supplier preview', 'supplier remove'],
  ...['otp-providers set', 'otp-providers delete', 'otp-providers receipts', 'otp-routes set', 'otp-routes delete'],
  // They open transactions of their own, and write the entry in them.
  ...['catalogue import', 'catalogue generate', 'catalogue verify', 'clock advance'],
];

test('the index of the commands is what they declare; npm run commands writes it', () => {
  const declared = commands.map(({ name, file, summary, positionals, options }) => ({
    name,
    file,
    summary,
    positionals,
    options,
  }));
  expect(index).toEqual(declared);
});

test('every command reads only, or is audited', () => {
  const declared = commands.filter(({ audits }) => audits !== undefined).map(({ name }) => name);
  expect([...declared, ...byWorkflow, ...reading].toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
});

test('every command but those for other programs takes --json', () => {
  const without = commands.filter(({ options }) => options.json === undefined).map(({ name }) => name);
  expect(without).toEqual(['serve', 'catalogue export', 'completion']);
});

interface Entry {
  action: string;
  actor: string;
  source: string;
  reason: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

const entries = async (): Promise<Entry[]> => JSON.parse((await run('audit list', '--json')).join(''));

test('a change and its entry are one transaction, with what differs, by whom, and why', async () => {
  await run('carrier create', 'acme', '--host', 'sip.acme.test', '--user', 'u', '--password', 'hidden password');
  const said = await run('carrier update', 'acme', '--priority', '5', '--reason', 'cheaper', '--json');
  expect(said).toEqual(['{"message":"Changed the carrier acme."}']);
  await expect(run('carrier update', 'nobody', '--priority', '5')).rejects.toThrow('nobody');
  await run('otp-guards set', 'dailyVolume=7');
  const [settings, update, creation, ...rest] = await entries();
  expect(rest).toEqual([]);
  expect(settings).toMatchObject({ action: 'verification_settings.changed', after: { dailyVolume: 7 } });
  expect(update).toMatchObject({ action: 'carrier.updated', before: { priority: 10 }, after: { priority: 5 } });
  expect(update).toMatchObject({ reason: 'cheaper', source: 'command line', actor: expect.stringMatching(/^cli:/) });
  expect(creation).toMatchObject({ action: 'carrier.created', after: { name: 'acme', password: 'set' } });
  expect(JSON.stringify(creation)).not.toContain('hidden');
  expect(JSON.parse((await run('carrier list', '--json')).join(''))).toMatchObject([{ name: 'acme', priority: '5' }]);
});
