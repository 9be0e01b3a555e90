/** Commands for the certificates that sign calls. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openCommandPlace, run } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';
import { testAuthority } from '../../engines/stir/test-authority.fixture.ts';

useOpened(() => openCommandPlace());

const folder = mkdtempSync(path.join(tmpdir(), 'signing-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

const said = async (command: string, ...args: string[]): Promise<string> => (await run(command, ...args)).join('\n');
const until = '2099-01-01T00:00:00Z';
const authority = testAuthority({ until });
const signer = authority.issue({ name: 'Operator', until });
const chain = file('chain.pem', signer.pem + authority.pem);
const key = file('key.pem', signer.keyPem);

test('a certificate is added, listed, switched off and removed', async () => {
  expect(await said('signing-certificate list')).toBe('There are no certificates.');
  const given = ['--chain', chain, '--key', key, '--url', 'https://certs.test/a.pem'];
  expect(await said('signing-certificate create', 'first', ...given)).toBe('Added the certificate first.');
  const list = async () => (await said('signing-certificate list')).split('\n').map((line) => line.split(/ {2,}/));
  expect(await list()).toEqual([
    ['NAME', 'STATE', 'SIGNER', 'FROM', 'UNTIL', 'URL'],
    ['first', 'signs', 'Operator', '2026-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z', 'https://certs.test/a.pem'],
  ]);
  const remove = () => said('signing-certificate remove', 'first', '--reason', 'ended', '--yes');
  await expect(remove()).rejects.toThrow('switch it off first');
  await said('signing-certificate update', 'first', '--enabled', 'off', '--url', 'https://certs.test/b.pem');
  expect((await list())[1]?.slice(1, 2)).toEqual(['off']);
  expect(await remove()).toBe('Removed the certificate first.');
  await expect(remove()).rejects.toThrow('There is no certificate named "first".');
});

test.each([
  [[], '--chain is missing'],
  [['--chain', chain], '--key is missing'],
  [['--chain', chain, '--key', '/nowhere/key.pem'], '/nowhere/key.pem cannot be read (ENOENT).'],
  [['--chain', chain, '--key', chain], 'The private key is missing'],
  [['--chain', chain, '--key', key], 'Say at which https address the chain is fetched'],
  [['--chain', chain, '--key', key, '--enabled', 'yes'], '--enabled must be "on" or "off"'],
])('%j is refused', async (args, text) => {
  await expect(said('signing-certificate create', 'wrong', ...args)).rejects.toThrow(text);
});
