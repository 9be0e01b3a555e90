/**
 * Finds the operator of a request to /operator/v1: by the `api-key` header, or without one by the session in the panel.
 * Remembers when a key was last used.
 */
import type { FastifyRequest } from 'fastify';
import type { OperatorActor } from '../../base/actor.ts';
import { allowList } from '../../business/accounts/allowed-ips.ts';
import { type Authenticate, authenticatorOf, sessionOf } from '../../business/accounts/authenticate.ts';
import { requireConfirmed } from '../../business/accounts/confirmed-acts.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import type { Environment } from '../../engines/environment.ts';
import { routeOf } from '../../engines/jsonapi/route-table.ts';

/** The role is no part of who acts: it says what an operator may do, and only /operator/v1 asks for it. */
export interface Operator extends OperatorActor {
  readonly role: OperatorRole;
}

interface KeyHolder extends Operator {
  readonly keyId: string;
}

/** How old the time of the last use may be: it is not worth a write per request. */
const lastUseMs = 60_000;

export function createOperatorAuthenticator(env: Environment): (request: FastifyRequest) => Promise<Operator | null> {
  const authenticate = createKeyAuthenticator(env);
  return async (request) => {
    const key = request.headers['api-key'];
    if (key !== undefined) return typeof key === 'string' ? authenticate(key, request.ip) : null;
    const session = await sessionOf(env, request);
    if (session?.operator == null) return null;
    requireConfirmed(env, session, `${request.method} ${routeOf(request) ?? ''}`);
    return session.operator;
  };
}

function createKeyAuthenticator(env: Environment): Authenticate<KeyHolder> {
  const noted = new Map<string, number>();
  return authenticatorOf<KeyHolder>(env, {
    topic: 'operator',
    isAbout: (changedId, { id }) => id === changedId,
    look: async (hash) => {
      const row = await env.db
        .selectFrom('operator_keys')
        .innerJoin('operators', 'operators.id', 'operator_keys.operator_id')
        .select(['operators.id', 'email', 'role', 'operator_keys.id as keyId', 'allowed_ips'])
        .where('key_hash', '=', hash)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { allowed_ips: allowed, ...caller } = row;
      return { allowed: allowList(allowed), caller: { kind: 'operator', ...caller } };
    },
    noteUse: ({ keyId }) => {
      const now = env.clock.now();
      if (now.getTime() - (noted.get(keyId) ?? 0) < lastUseMs) return;
      noted.set(keyId, now.getTime());
      env.db
        .updateTable('operator_keys')
        .set({ last_used_at: now })
        .where('id', '=', keyId)
        .execute()
        .catch((error: unknown) => env.log.warn({ err: error }, 'the last use of an operator key is not stored'));
    },
  });
}
