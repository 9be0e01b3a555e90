/** The command line in a test: an empty sandbox of its own, and the lines a command says. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import type { Command } from '../../src/commands/command.ts';
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

export async function run(command: Command, ...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  await command.execute([...args, '--env', 'sandbox'], (line) => lines.push(line));
  return lines;
}
