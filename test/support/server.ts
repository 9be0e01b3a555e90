/** A real HTTP server on a test environment, with an account, its key and a client that checks every response. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createAccount, type NewAccount } from '../../src/business/accounts/accounts.ts';
import { createApiKey } from '../../src/business/accounts/api-keys.ts';
import { newestVersion } from '../../src/interfaces/platform/versions/versions.ts';
import { createHttpServer, type HttpServerOptions } from '../../src/interfaces/server/http-server.ts';
import { operatorRooms, roomsWith } from '../../src/interfaces/server/rooms.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import type { Worlds } from '../../src/interfaces/worlds/worlds.ts';
import { taskHandlers } from '../../src/run/boot/tasks.ts';
import { ApiClient } from './client.ts';
import { customersDocument } from './documents.ts';
import { createTestEnvironment, type TestEnvironmentOptions } from './environment.ts';
import type { FixedClock } from './fixed-clock.ts';
import { openTestWorlds } from './worlds.ts';

export interface TestServer {
  /** Of the server, without a path. */
  readonly url: string;
  readonly env: WholeEnvironment;
  readonly clock: FixedClock;
  readonly app: FastifyInstance;
  /** Null without worlds. */
  readonly worlds: Worlds | null;
  /** The first account, its key, and a client that uses it. */
  readonly accountId: string;
  readonly key: string;
  readonly client: ApiClient;
  /** Another account with a client of its own. */
  addAccount(account?: Partial<NewAccount>): Promise<TestAccount>;
  close(): Promise<void>;
}

export interface TestAccount {
  accountId: string;
  key: string;
  client: ApiClient;
}

export interface TestServerOptions extends TestEnvironmentOptions {
  account?: Partial<NewAccount>;
  server?: Partial<HttpServerOptions>;
  /** Whether the server has worlds, or with which settings. */
  worlds?: boolean | Record<string, string>;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { env, clock, close } = await createTestEnvironment(options);
  const { worlds } = options;
  const served = worlds ? openTestWorlds(env, worlds === true ? {} : worlds) : null;
  const app = await createHttpServer(env, {
    rooms: [...roomsWith(taskHandlers, 'any', null, { operators: true }, served?.worlds), ...operatorRooms],
    ...(served === null ? {} : { front: served.front }),
    ...options.server,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const base = new ApiClient({ url, key: null, document: customersDocument(env) });
  let made = 0;
  const addAccount = async (account: Partial<NewAccount> = {}): Promise<TestAccount> => {
    made += 1;
    // As if it had been used before: the first request of an account fixes its version.
    const { id } = await createAccount(env, { name: `Account ${made}`, apiVersion: newestVersion, ...account });
    const { key } = await createApiKey(env, id, { name: 'test' });
    return { accountId: id, key, client: base.with({ key }) };
  };
  const first = await addAccount(options.account);
  return {
    url,
    env,
    clock,
    app,
    ...first,
    addAccount,
    worlds: served?.worlds ?? null,
    close: async () => {
      await app.close();
      await served?.close();
      await close();
    },
  };
}
