/** A PostgreSQL, a folder and served environments for one benchmark. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { type EmbeddedServer, openEmbeddedServer } from '../src/engines/db/embedded.ts';
import type { WholeEnvironment } from '../src/interfaces/server/whole-environment.ts';
import { openEnvironment } from '../src/run/boot/environment.ts';
import { readConfig } from '../src/run/config/read-config.ts';
import { startTrunkline, type Trunkline } from '../test/support/trunkline.ts';

/** A PostgreSQL and a folder for one benchmark, gone when it ends. */
export interface World {
  folder: string;
  server: EmbeddedServer;
  /** An environment of our own on a database of that name, to prepare it. */
  prepare(database: string, work: (env: WholeEnvironment) => Promise<void>): Promise<void>;
  /** The program itself as a process, serving the sandbox on that database; no rate limit there. */
  serve(database: string, variables?: Record<string, string>): Promise<Served>;
  close(): Promise<void>;
}

export interface Served {
  url: string;
  key: string;
  process: Trunkline;
}

const key = 'bench-key-bench-key-bench-key';
const serverKey = Buffer.alloc(32, 9);

/** In the folder `keptIn` it stays when it is closed, and is there for the next run. */
export async function openWorld(keptIn?: string): Promise<World> {
  const folder = keptIn ?? (await mkdtemp(path.join(os.tmpdir(), 'trunkline-bench-')));
  if (keptIn !== undefined) await mkdir(keptIn, { recursive: true, mode: 0o711 });
  const server = await openEmbeddedServer({ dataDirectory: path.join(folder, 'cluster') });
  const running: Trunkline[] = [];
  return {
    folder,
    server,
    prepare: async (database, work) => {
      await server.createDatabase(database);
      const { env, close } = await openEnvironment('sandbox', {
        config: readConfig({ TRUNKLINE_DATA: folder, TRUNKLINE_SERVER_KEY: serverKey.toString('base64') }),
        url: server.url(database),
        log: pino({ level: 'silent' }),
      });
      try {
        await work(env);
      } finally {
        await close();
      }
    },
    serve: async (database, variables = {}) => {
      const place = await mkdtemp(path.join(folder, 'process-'));
      const bootstrap = path.join(place, 'bootstrap.json');
      const account = { name: 'Bench', balance: '100000000.00', api_keys: [{ name: 'bench', key }] };
      await writeFile(bootstrap, JSON.stringify({ sandbox: { accounts: [account] } }));
      const child = startTrunkline(place, {
        TRUNKLINE_PORT: 'off',
        SANDBOX_DATABASE_URL: server.url(database),
        TRUNKLINE_BOOTSTRAP: bootstrap,
        TRUNKLINE_SERVER_KEY: serverKey.toString('base64'),
        ...variables,
      });
      running.push(child);
      const { environments } = await child.ready();
      return { url: environments.sandbox?.url ?? '', key, process: child };
    },
    close: async () => {
      await Promise.all(running.map((child) => child.stop()));
      await server.close();
      if (keptIn !== undefined) return;
      // Run as root, the cluster lies elsewhere, and would stay there with all that was filled in.
      const elsewhere = await readFile(path.join(folder, 'cluster', 'postgres.location'), 'utf8').catch(() => '');
      if (elsewhere !== '') await rm(elsewhere.trim(), { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
