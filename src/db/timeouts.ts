/** How long the database works for one connection before it gives up, and how work that takes longer is let through. */
import type { ClientBase, ClientConfig } from 'pg';

type Timeouts = Required<
  Pick<ClientConfig, 'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout'>
>;

/** For requests and jobs: limits one statement, waiting for a lock, and a transaction whose process has stopped. */
export const requestTimeouts: Timeouts = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** For commands: imports, exports and checks may take as long as they need. */
export const commandTimeouts: Timeouts = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 600_000,
};

/** Runs work on a connection whose statements may take as long as they need: migrations, exports, waiting for a turn. */
export async function withoutTimeouts<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  const names = Object.keys(requestTimeouts);
  await client.query(names.map((name) => `set ${name} = 0`).join('; '));
  try {
    return await work();
  } finally {
    // They were given when the connection was made, so RESET goes back to them. A broken connection is not used again.
    await client.query(names.map((name) => `reset ${name}`).join('; ')).catch(() => undefined);
  }
}
