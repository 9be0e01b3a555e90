/**
 * A server that has become read-only (a failover made another one the primary) keeps its connections open. One that
 * refuses a write for that reason is closed, so that the next connection reaches the server that can write.
 */
import type pg from 'pg';

const readOnlyTransaction = '25006';

/** `client.connection` reports what the server says before the query that it concerns fails. */
export function leaveWhenReadOnly(client: pg.Client): void {
  client.connection.on('errorMessage', (message: { code?: string }) => {
    // Only after the running query has failed; the pool then drops the connection.
    if (message.code === readOnlyTransaction) setImmediate(() => void client.end().catch(() => undefined));
  });
}

/** True while this server, or this session, refuses writes. */
export const isReadOnlySql = `(pg_is_in_recovery() or current_setting('transaction_read_only')::boolean)`;
