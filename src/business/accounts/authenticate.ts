/**
 * Finds the caller for an `api-key` header. Results are cached until any process changes the account or one of its
 * keys; nothing is cached while change notifications cannot be received. An unknown key, a revoked key and a key used
 * from a forbidden address get the same response. An address that fails too often is refused for a while, whatever its
 * key.
 */

import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import QuickLRU from 'quick-lru';
import { keepUntilChanged } from '../../engines/db/kept.ts';
import type { Environment } from '../../engines/environment.ts';
import { noteActing } from './acting.ts';
import { allowList, isAllowed } from './allowed-ips.ts';
import { keyDigest } from './api-keys.ts';
import { asCaller, type Caller, callerColumns } from './caller.ts';
import { requireConfirmed } from './confirmed-acts.ts';
import { createFailedAuthentications, shippedFailureLimit, TooManyFailures } from './failed-authentication.ts';
import { createKeyUses } from './key-uses.ts';
import { requireMemberRole, type Subject } from './member-roles.ts';
import { defaultRateLimit } from './rate-limit.ts';
import { isPanelRequest } from './same-origin.ts';
import { Secret } from './secret.ts';
import { sessionTokenOf } from './session-cookie.ts';
import { findSession, type PanelSession } from './sessions.ts';

/** Returns null if the key is not valid from this address. Throws `TooManyFailures`. */
export interface Authenticate<T = Caller> {
  (key: string, remoteAddress: string): Promise<T | null>;
  /** The same from memory alone; undefined says nothing about the key. */
  known(key: string, remoteAddress: string): T | undefined;
}

interface AuthenticateRequest {
  /** `subject` is what the route of the request is about; null if it has none, and ends with 404. */
  (request: FastifyRequest, subject: Subject | null): Promise<Caller | null>;
  /** The same from memory alone, as nearly all requests are answered; undefined says nothing about the request. */
  known(request: FastifyRequest): Caller | undefined;
}

/** Finds the caller of a request: by its API key, or without one by its session in the panel. */
export function createRequestAuthenticator(env: Environment): AuthenticateRequest {
  const authenticate = createAuthenticator(env);
  const ask = async (request: FastifyRequest, subject: Subject | null): Promise<Caller | null> => {
    const key = request.headers['api-key'];
    if (key !== undefined) return typeof key === 'string' ? authenticate(key, request.ip) : null;
    const session = await sessionOf(env, request);
    if (session === null) return null;
    if (subject !== null) requireConfirmed(env, session, `${request.method} ${request.routeOptions.url}`);
    return admittedCaller(env, session, request, subject);
  };
  const known = (request: FastifyRequest): Caller | undefined => {
    const key = request.headers['api-key'];
    return typeof key === 'string' ? authenticate.known(key, request.ip) : undefined;
  };
  return Object.assign(ask, { known });
}

/** The session of a request that the panel itself made; null for every other. */
export async function sessionOf(env: Environment, request: FastifyRequest): Promise<PanelSession | null> {
  const token = sessionTokenOf(env, request);
  const session = token !== null && isPanelRequest(env, request) ? await findSession(env, token) : null;
  return session?.operator != null && closedToOperators.has(request.server.server) ? null : session;
}

/** Servers on ports other than the operators': browsers send a session's cookie to every port of a host. */
const closedToOperators = new WeakSet<object>();

/** This server ignores sessions of operators, on every interface. */
export const closeToOperators = ({ server }: Pick<FastifyInstance, 'server'>): void =>
  void closedToOperators.add(server);

/**
 * The caller of a session, if the person's role allows the request; throws `RoleForbids`. What an operator does while
 * acting as a customer is in the audit log, whether it succeeds or not.
 */
export async function admittedCaller(
  env: Environment,
  { caller, operator }: PanelSession,
  request: FastifyRequest,
  subject: Subject | null,
): Promise<Caller | null> {
  if (caller === null || subject === null) return caller;
  requireMemberRole(caller.role, subject);
  if (operator !== null && !subject.reads) await noteActing(env, caller, request);
  return caller;
}

interface Known<T> {
  caller: T;
  allowed: BlockList | null;
  /** From when on the key no longer works; null if it has no end. */
  endsAt?: Date | null;
}

export function createAuthenticator(env: Environment): Authenticate {
  const noteUse = createKeyUses(env);
  return authenticatorOf(env, {
    topic: 'account',
    isAbout: (accountId, caller) => caller.accountId === accountId,
    look: (hash, key) => look(env, hash, key),
    noteUse: ({ actor }) => noteUse(actor.id),
  });
}

/** How the keys of one kind of caller are found, and which change makes a found one out of date. */
interface KeyDirectory<T> {
  topic: string;
  isAbout: (changedId: string, caller: T) => boolean;
  look: (hash: Buffer, key: string) => Promise<Known<T> | null>;
  /** Called for every request that a key is accepted for. */
  noteUse: (caller: T) => void;
}

export function authenticatorOf<T>(env: Environment, keys: KeyDirectory<T>): Authenticate<T> {
  const kept = keepUntilChanged<Known<T> | null>(env.changes, {
    outdatedBy: { [keys.topic]: (changedId, known) => known !== null && keys.isAbout(changedId, known.caller) },
    worthKeeping: (known) => known !== null,
  });
  const failures = createFailedAuthentications((heard) => env.changes.counts.join(`failed ${keys.topic} keys`, heard));
  const failureLimit = shippedFailureLimit[env.name];

  // Hashes of recently accepted keys: hashing a key takes longer than finding its caller.
  const digests = new QuickLRU<string, string>({ maxSize: mostDigests });

  const admitted = (known: Known<T> | null, remoteAddress: string): T | null => {
    if (known === null || !isAllowed(known.allowed, remoteAddress) || hasEnded(env, known)) return null;
    keys.noteUse(known.caller);
    return known.caller;
  };
  const ask = async (key: string, remoteAddress: string): Promise<T | null> => {
    const wait = failures.wait(remoteAddress, failureLimit);
    if (wait > 0) throw new TooManyFailures(wait);
    const digest = keyDigest(key);
    const known = await kept.read(digest, () => keys.look(Buffer.from(digest, 'base64'), key));
    const caller = admitted(known, remoteAddress);
    if (caller === null) failures.count(remoteAddress, failureLimit);
    else digests.set(key, digest);
    return caller;
  };
  const known = (key: string, remoteAddress: string): T | undefined => {
    const digest = digests.get(key);
    const found = digest === undefined ? undefined : kept.peek(digest);
    if (found === undefined || failures.wait(remoteAddress, failureLimit) > 0) return undefined;
    return admitted(found, remoteAddress) ?? undefined;
  };
  return Object.assign(ask, { known });
}

const mostDigests = 1_000;

const hasEnded = (env: Environment, { endsAt = null }: Pick<Known<unknown>, 'endsAt'>): boolean =>
  endsAt !== null && endsAt <= env.clock.now();

async function look(env: Environment, hash: Buffer, key: string): Promise<Known<Caller> | null> {
  const row = await env.db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id as key_id', 'allowed_ips', 'rate_limit', 'scopes', 'expires_at'])
    .select(callerColumns)
    .where('key_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    allowed: allowList(row.allowed_ips),
    endsAt: row.expires_at,
    caller: asCaller(row, {
      actor: { kind: 'api_key', id: row.key_id },
      role: 'owner',
      sessionId: null,
      signingKey: new Secret(key),
      scopes: row.scopes,
      rateLimit: row.rate_limit ?? defaultRateLimit[env.name],
    }),
  };
}
