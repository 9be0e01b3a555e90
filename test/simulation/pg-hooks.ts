/**
 * Where pg's client sends and is answered, opened for the simulation: connections that a simulated process opens, and
 * no others. The names are those of pg's own members.
 */
import pg from 'pg';
import type { Owner } from './events.ts';

export type Callback = (error?: Error | null) => void;
export type Failure = Error & { code?: string; severity?: string };

interface Hooks {
  /** Null for a connection that no simulated process opens. */
  ownerOf(client: pg.Client): Owner | null;
  connecting(client: pg.Client, owner: Owner, connect: (callback: Callback) => void, callback: Callback): void;
  /** The connection is free, and this is the next statement. */
  ready(client: pg.Client, text: string, send: () => void): void;
  failed(client: pg.Client, failure: Failure): void;
  answered(client: pg.Client, deliver: () => void): void;
  ending(client: pg.Client): void;
  isOurs(client: pg.Client): boolean;
}

type Method = (this: pg.Client, ...given: unknown[]) => unknown;

export function hookConnections(hooks: Hooks): void {
  const failures = new WeakMap<pg.Client, Failure>();
  const replace = (name: string, wrap: (former: Method) => Method) => {
    const former: Method = Reflect.get(pg.Client.prototype, name);
    Object.defineProperty(pg.Client.prototype, name, { value: wrap(former), configurable: true, writable: true });
    return former;
  };

  replace('_connect', (former) => {
    return function (callback) {
      const owner = hooks.ownerOf(this);
      if (owner === null || typeof callback !== 'function') return former.call(this, callback);
      hooks.connecting(
        this,
        owner,
        (done) => former.call(this, done),
        (error) => callback(error, this),
      );
      return undefined;
    };
  });

  replace('_pulseQueryQueue', (former) => {
    return function () {
      const next: unknown = Reflect.get(this, '_queryQueue')[0];
      if (!hooks.isOurs(this) || Reflect.get(this, 'readyForQuery') !== true || !isStatement(next))
        return former.call(this);
      next.text = seeded(next.text);
      hooks.ready(this, next.text, () => former.call(this));
      return undefined;
    };
  });

  const fail = replace('_handleErrorMessage', (former) => {
    return function (message) {
      const failure = message as Failure;
      if (!hooks.isOurs(this) || failure.severity === 'FATAL') return former.call(this, message);
      hooks.failed(this, failure);
      failures.set(this, failure);
      return undefined;
    };
  });

  replace('_handleReadyForQuery', (former) => {
    return function (message) {
      if (!hooks.isOurs(this)) return former.call(this, message);
      const failure = failures.get(this);
      failures.delete(this);
      hooks.answered(this, () => {
        if (failure !== undefined) fail.call(this, failure);
        former.call(this, message);
      });
      return undefined;
    };
  });

  // The simulation tells of notifications itself, each as an event.
  replace('_handleNotification', (former) => {
    return function (message) {
      return hooks.isOurs(this) ? undefined : former.call(this, message);
    };
  });

  replace('end', (former) => {
    return function (...given) {
      hooks.ending(this);
      return former.call(this, ...given);
    };
  });
}

function isStatement(query: unknown): query is { text: string } {
  return typeof query === 'object' && query !== null && 'text' in query && typeof query.text === 'string';
}

/** Ids are made by the seed, and waiting for locks is limited in virtual time. */
function seeded(text: string): string {
  return text
    .replaceAll(/(?<!\w)gen_random_uuid\(\)/g, 'simulated_uuid()')
    .replaceAll(/set (statement_timeout|lock_timeout|idle_in_transaction_session_timeout) = \d+/g, 'set $1 = 0');
}
