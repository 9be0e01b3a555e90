/** Asks each client for its version, on the machine that runs this. */
import { type Client, clients, idOf } from './clients.ts';
import type { Versions } from './document.ts';
import { execute } from './run-program.ts';

export async function askVersions(folder: string): Promise<Versions> {
  const versions = new Map<string, string>();
  for (const client of clients) versions.set(idOf(client), await versionOf(client, folder));
  return versions;
}

async function versionOf({ version, name }: Client, folder: string): Promise<string> {
  const output = await execute(version, folder, {});
  const [found] = /\d+(?:\.\d+)+/.exec(output) ?? [];
  if (found === undefined) throw new Error(`no version of ${name} in: ${output}`);
  return found;
}
