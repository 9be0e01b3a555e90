/**
 * What a request has changed when it cannot be answered: nothing, all of it, or nobody knows, because the connection
 * broke while a change was being stored. Seen at the connections, so that it holds for every interface and every
 * workflow.
 */
import type { ClientBase } from 'pg';
import { Changes } from './made-changes.ts';
import { isUnavailable, retryAfterSeconds } from './unavailable.ts';
import { currentWork } from './work.ts';

/** Runs a statement that changes something although its text does not say so: `select` of a function. */
export async function asChange<T>(run: () => Promise<T>): Promise<T> {
  const sent = currentWork()?.changes?.sent();
  try {
    const result = await run();
    sent?.confirmed();
    return result;
  } catch (error) {
    sent?.failed(error);
    throw error;
  }
}

/** From now on it is noted what the request changes; what finds out who asks changes nothing that it is about. */
export function followChanges(): void {
  const work = currentWork();
  if (work?.reads === false) work.changes = new Changes();
}

/** What to tell a client whose request cannot be served now; null for an error of another kind. */
export function unavailability(error: unknown): { retryAfter: number; outcome: Changes['outcome'] } | null {
  if (!isUnavailable(error)) return null;
  return { retryAfter: retryAfterSeconds, outcome: currentWork()?.changes?.outcome ?? 'nothing_changed' };
}

const begins = /^\s*(begin|start transaction)\b/i;
const ends = /^\s*(commit|end)\b/i;
const rollsBack = /^\s*(rollback|abort)\s*;?\s*$/i;
const writes = /^\s*(insert|update|delete|merge)\b|^\s*with\b[\s\S]*\b(insert into|update|delete from)\s/i;

/** Has the statements of a connection noted for the request on whose behalf they are sent. */
export function noteChanges(client: ClientBase): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  let isInTransaction = false;
  const noted = (...given: unknown[]): unknown => {
    const changes = currentWork()?.changes;
    if (changes === undefined) return query(...given);
    const text = textOf(given[0]);
    if (begins.test(text)) isInTransaction = true;
    else if (rollsBack.test(text)) isInTransaction = false;
    const commits = isInTransaction && ends.test(text);
    if (commits) isInTransaction = false;
    return commits || (!isInTransaction && writes.test(text)) ? follow(query, given, changes) : query(...given);
  };
  Object.defineProperty(client, 'query', { value: noted, configurable: true, writable: true });
}

type Callback = (error: unknown, result?: unknown) => void;

function follow(query: (...given: unknown[]) => unknown, given: unknown[], changes: Changes): unknown {
  const sent = changes.sent();
  const settle: Callback = (error, result) => {
    if (error) sent.failed(error);
    // A transaction in which something had failed is rolled back by its COMMIT.
    else if (isRolledBack(result)) sent.failed(rolledBack);
    else sent.confirmed();
  };
  const last = given.at(-1);
  if (typeof last === 'function') {
    return query(...given.slice(0, -1), (error: unknown, result: unknown) => {
      settle(error, result);
      last(error, result);
    });
  }
  const answered = query(...given);
  if (answered instanceof Promise) {
    answered.then(
      (result) => settle(null, result),
      (error) => settle(error),
    );
  } else sent.failed(rolledBack);
  return answered;
}

const rolledBack = Object.assign(new Error('rolled back'), { severity: 'ERROR', code: '40000' });

const isRolledBack = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'command' in result && result.command === 'ROLLBACK';

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const text = typeof statement === 'object' && statement !== null && 'text' in statement ? statement.text : '';
  return typeof text === 'string' ? text : '';
}
