/** A span for each statement of a connection, with the text but without the values of its parameters. */
import type { ClientBase } from 'pg';
import { inSpan, isTracing } from '../tracing.ts';

/** Does nothing unless spans go somewhere when the connection is opened. */
export function traceStatements(client: ClientBase): void {
  if (!isTracing()) return;
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  const traced = (...given: unknown[]): unknown => {
    const sent = query(...given);
    // Calls with a callback and streams return something else; nobody here uses the first, and the second measure themselves.
    if (!(sent instanceof Promise)) return sent;
    const text = textOf(given[0]);
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
    return inSpan('statement', text.trimStart().split(/\s/, 1)[0] ?? 'query', attributes, () => sent);
  };
  Object.defineProperty(client, 'query', { value: traced, configurable: true, writable: true });
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : '';
  return typeof text === 'string' ? text : '';
}
