/** The context of a request, for tests that call parts of the engine directly. */
import type { EngineContext } from '../../src/engines/jsonapi/resource.ts';

/** Without a `query` of the test's own no statement finds anything. */
export function engineContext(own: Partial<EngineContext> = {}): EngineContext {
  const query = own.query ?? (async () => []);
  return {
    tenant: null,
    now: new Date(0),
    baseUrl: 'https://host',
    apiVersion: '1',
    defaultPageSize: 50,
    maxPageSize: 100,
    query,
    transaction: (work) => work(query),
    ...own,
  };
}
