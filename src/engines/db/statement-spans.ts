/** A span for each statement of a connection, with the text but without the values of its parameters. */
import type { ClientBase } from 'pg';
import { inSpan, isTracing } from '../tracing.ts';

type Callback = (error: unknown, result?: unknown) => void;

/** Does nothing unless spans go somewhere when the connection is opened. */
export function traceStatements(client: ClientBase): void {
  if (!isTracing()) return;
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  const traced = (...given: unknown[]): unknown => {
    const last = given.at(-1);
    if (!isCallback(last)) {
      const sent = query(...given);
      // Streams measure themselves.
      return sent instanceof Promise ? spanOf(given[0], sent) : sent;
    }
    // So do a pool's own `query` and the libraries above it ask.
    const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
    const callback: Callback = (error, result) => {
      if (error) reject(error);
      else resolve();
      last(error, result);
    };
    const sent = query(...given.slice(0, -1), callback);
    // The callback has got the error.
    spanOf(given[0], answered).catch(() => undefined);
    return sent;
  };
  Object.defineProperty(client, 'query', { value: traced, configurable: true, writable: true });
}

const isCallback = (value: unknown): value is Callback => typeof value === 'function';

function spanOf<T>(statement: unknown, sent: Promise<T>): Promise<T> {
  const text = textOf(statement);
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
  return inSpan('statement', text.trimStart().split(/\s/, 1)[0] ?? 'query', attributes, () => sent);
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : '';
  return typeof text === 'string' ? text : '';
}
