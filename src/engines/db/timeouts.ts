/** How long the database works for one connection before it gives up, and how work that takes longer is let through. */
import type { ClientBase } from 'pg';

const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

type Timeouts = Readonly<Record<(typeof names)[number], number>>;

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

/**
 * The statement that a new connection begins with. Not parameters of the connection itself, which would save a round
 * trip: PgBouncer refuses a client that sends them, in session mode too.
 */
export function timeoutSettings(timeouts: Timeouts): string {
  return names.map((name) => `set ${name} = ${timeouts[name]}`).join('; ');
}

/**
 * Runs work on a connection whose statements may take as long as they need: migrations, exports, waiting for a turn.
 */
export async function withoutTimeouts<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  const { rows } = await client.query<Record<keyof Timeouts, string>>(
    `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`,
  );
  const former = rows[0];
  await client.query(names.map((name) => `set ${name} = 0`).join('; '));
  try {
    return await work();
  } finally {
    // A broken connection is not used again.
    const restored = names.map((name, index) => `set_config('${name}', $${index + 1}, false)`).join(', ');
    await client
      .query(
        `select ${restored}`,
        names.map((name) => former?.[name]),
      )
      .catch(() => undefined);
  }
}
