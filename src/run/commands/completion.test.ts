/** Completion scripts, run in the shells themselves. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { index, loadCommand } from './commands.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-completion-'));
  await writeFile(path.join(folder, 'bash'), await scriptFor('bash'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function scriptFor(shell: string): Promise<string> {
  const lines: string[] = [];
  const command = await loadCommand({ name: 'completion', file: 'completion' });
  await command.execute([shell], (line) => lines.push(line));
  return lines.join('\n');
}

/** What a shell offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trunkline; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const given = ['-c', program, 'bash', path.join(folder, 'bash'), 'trunkline', ...words];
  const { stdout } = await promisify(execFile)('bash', given);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash completes', () => {
  test.each([
    [['ke'], ['keys']],
    [
      ['keys', ''],
      ['create', 'list', 'revoke', '--help'],
    ],
    [['keys', 'create', '--ra'], ['--rate-limit']],
    [
      ['keys', 'list', '--env', ''],
      ['production', 'sandbox'],
    ],
    [['keys', 'list', '--data', ''], []],
    [
      ['serve', '--sandbox-p'],
      ['--sandbox-port', '--sandbox-public-url'],
    ],
    [
      ['otp-routes', 'set', ''],
      ['sms', 'callout', '--env', '--data', '--reason', '--prefix', '--priority', '--json', '--help'],
    ],
    [['completion', 'f'], ['fish']],
    [['nothing', ''], []],
  ])('%j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test('every command with its options', async () => {
    for (const { name, options } of index.filter((command) => command.name.startsWith('otp'))) {
      const expected = Object.keys(options).map((option) => `--${option}`);
      expect([name, await offered(...name.split(' '), '--')]).toEqual([name, expected]);
    }
  });
});

test('the script for zsh is the one for bash, made known to zsh', async () => {
  expect(await scriptFor('zsh')).toBe(`autoload -U +X bashcompinit && bashcompinit\n${await scriptFor('bash')}`);
});

test('the script for fish names every command with its options', async () => {
  const script = await scriptFor('fish');
  for (const { name, options } of index) {
    const [first, second] = name.split(' ');
    expect(script).toMatch(new RegExp(`-a ${second ?? first}( |$)`, 'm'));
    for (const option of Object.keys(options)) expect(script).toContain(` -l ${option} `);
  }
  expect(script).toContain("-l env -x -a 'production sandbox' -d 'which environment (production)'");
});

test('a shell that is not known is refused', async () => {
  await expect(scriptFor('tcsh')).rejects.toThrow('The shell must be "bash" or "zsh" or "fish", not "tcsh".');
});
