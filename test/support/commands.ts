/** The command line in a test: an empty sandbox of its own, and the lines a command says. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { index, loadCommand } from '../../src/run/commands/commands.ts';
import { createTestDatabase } from './database.ts';

export interface CommandPlace {
  /** Where the sandbox's database is. */
  readonly url: string;
  /** For files of the test; the data folder lies in it. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function openCommandPlace(): Promise<CommandPlace> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-command-'));
  vi.stubEnv('SANDBOX_DATABASE_URL', database.url);
  vi.stubEnv('TRUNKLINE_DATA', path.join(folder, 'data'));
  return {
    url: database.url,
    folder,
    close: async () => {
      vi.unstubAllEnvs();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the command of that name in the sandbox. */
export const run = (name: string, ...args: string[]): Promise<string[]> => execute(name, ...args, '--env', 'sandbox');

/** The same for an act that is confirmed first. */
export const runConfirmed = (name: string, ...args: string[]): Promise<string[]> =>
  run(name, '--reason', 'asked', '--yes', ...args);

export async function execute(name: string, ...args: string[]): Promise<string[]> {
  const command = index.find((candidate) => candidate.name === name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  const lines: string[] = [];
  await (await loadCommand(command)).execute(args, (line) => lines.push(line));
  return lines;
}
