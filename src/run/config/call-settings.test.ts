/** Files of authorities that sign callers: what is accepted, and the one sentence for everything else. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testAuthority } from '../../engines/stir/test-authority.fixture.ts';
import { readConfig } from './read-config.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'authorities-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [one, other] = [testAuthority(), testAuthority()];
const file = path.join(folder, 'authorities.pem');
const authoritiesIn = (text: string) => {
  writeFileSync(file, text);
  return readConfig({ TRUNKLINE_STIR_AUTHORITIES: file }).calls.identityAuthorities;
};

test('all certificates of the file count; without a file there are none', () => {
  expect(authoritiesIn(`Our roots\n${one.pem}\n${other.pem}`)).toEqual([one.pem.trim(), other.pem.trim()]);
  expect(readConfig({}).calls.identityAuthorities).toEqual([]);
});

test.each([
  ['', 'has no certificate in PEM form.'],
  [one.keyPem, 'has no certificate in PEM form.'],
  [one.pem + one.issue({ name: 'Signer' }).pem, "has a certificate that is no authority's."],
  [one.pem.replace(/\n\w{8}/, '\nAAAAAAAA'), "has a certificate that is no authority's."],
])('%#: one sentence', (text, words) => {
  expect(() => authoritiesIn(text)).toThrow(`TRUNKLINE_STIR_AUTHORITIES names ${file}, which ${words}`);
});

test('a file that is not there', () => {
  expect(() => readConfig({ TRUNKLINE_STIR_AUTHORITIES: '/nowhere/roots.pem' })).toThrow(
    'TRUNKLINE_STIR_AUTHORITIES names /nowhere/roots.pem, which cannot be read (ENOENT).',
  );
});
