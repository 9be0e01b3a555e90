/** Finds the operator for an `api-key` header of /operator/v1, and remembers when a key was last used. */
import { allowList } from '../accounts/allowed-ips.ts';
import { type Authenticate, authenticatorOf } from '../accounts/authenticate.ts';
import type { OperatorRole } from '../db/tables/operators.ts';
import type { Environment } from '../environment.ts';

export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly role: OperatorRole;
  readonly keyId: string;
}

/** How old the time of the last use may be: it is not worth a write per request. */
const lastUseMs = 60_000;

export function createOperatorAuthenticator(env: Environment): Authenticate<Operator> {
  const noted = new Map<string, number>();
  return authenticatorOf<Operator>(env, {
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
      return { allowed: allowList(allowed), caller };
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
