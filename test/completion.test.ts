/** The scripts of `trunkline completion` in the shells they are for; bash is tested beside the command. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const launcher = path.resolve(import.meta.dirname, '../bin/trunkline.cjs');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-completion-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function scriptFor(shell: string): Promise<string> {
  const file = path.join(folder, shell);
  await writeFile(file, (await run(process.execPath, [launcher, 'completion', shell])).stdout);
  return file;
}

it('fish offers the commands, their second words and their options', async () => {
  const script = await scriptFor('fish');
  const offered = async (line: string) => {
    const { stdout } = await run('fish', ['--no-config', '-c', `source ${script}; complete -C '${line}'`]);
    return stdout.split('\n').flatMap((candidate) => candidate.split('\t', 1));
  };
  expect(await offered('trunkline led')).toContain('ledger');
  expect(await offered('trunkline jobs re')).toContain('retry');
  expect(await offered('trunkline ledger verify --e')).toContain('--env');
});

it('zsh takes the script and knows whom to ask', async () => {
  const script = await scriptFor('zsh');
  const program = `autoload -U compinit && compinit -u -d ${folder}/dump && source ${script} && print -r -- $_comps[trunkline]`;
  const { stdout } = await run('zsh', ['-f', '-c', program]);
  expect(stdout).toContain('_trunkline');
});
