/** `/api/v1` of a fresh environment on a loopback port, with one account and its applications. */
import type { FastifyInstance } from 'fastify';
import { createAccount } from '../../src/business/accounts/accounts.ts';
import { createHttpServer } from '../../src/interfaces/server/http-server.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { createApplication, type NewApplication } from '../../src/interfaces/verification/application.writes.ts';
import type { ExchangeOptions } from '../../src/interfaces/verification/exchange.ts';
import { verificationRoom } from '../../src/interfaces/verification/room.ts';
import { createTestEnvironment, runDueJobs, type TestEnvironmentOptions } from './environment.ts';
import type { FixedClock } from './fixed-clock.ts';
import { type ClientMode, VerificationClient } from './verification-client.ts';

export interface VerificationServer {
  env: WholeEnvironment;
  clock: FixedClock;
  url: string;
  accountId: string;
  /** A client of a new application. */
  client(settings?: Partial<NewApplication>, mode?: ClientMode): Promise<VerificationClient>;
  /** Delivers what is queued. */
  dispatch(): Promise<void>;
  /** The code in the newest message of the sandbox's inbox for a verification. */
  codeOf(verificationId: string): Promise<string>;
  close(): Promise<void>;
}

interface VerificationServerOptions extends TestEnvironmentOptions, ExchangeOptions {
  balance?: string;
}

export async function startVerificationServer(options: VerificationServerOptions = {}): Promise<VerificationServer> {
  const { env, clock, close } = await createTestEnvironment(options);
  const app = await createHttpServer(env, { rooms: [(scope) => verificationRoom(scope, env, options)] });
  const account = await createAccount(env, { name: 'Acme', balance: options.balance ?? '100' });
  const url = await listen(app);
  let applications = 0;
  return {
    env,
    clock,
    url,
    accountId: account.id,
    async client(settings = {}, mode = 'application') {
      const created = await createApplication(env, account.id, { name: `app ${++applications}`, ...settings });
      const prefix = env.publicUrl === null ? '' : new URL(env.publicUrl).pathname;
      return new VerificationClient(url, { key: created.key, secret: created.secret.reveal() }, mode, prefix);
    },
    dispatch: () => runDueJobs(env),
    async codeOf(verificationId) {
      const row = await env.db
        .selectFrom('sandbox_messages')
        .select('code')
        .where('verification_id', '=', verificationId)
        .executeTakeFirstOrThrow();
      return row.code;
    },
    async close() {
      await app.close();
      await close();
    },
  };
}

export function listen(app: FastifyInstance): Promise<string> {
  return app.listen({ port: 0, host: '127.0.0.1' });
}
