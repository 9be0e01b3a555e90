/** Entries of the audit log about signing in and out. A customer is named by id only: entries outlive personal data. */
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../base/actor.ts';
import { type Person, tableOf } from '../../business/accounts/people.ts';
import { type AuditAction, writeAudit } from '../../business/audit.ts';
import type { Environment } from '../../engines/environment.ts';

type Whom = Pick<Person, 'kind' | 'id' | 'accountId' | 'email'>;

/** `person` is null where an attempt names nobody who exists. */
export async function auditSession(
  env: Environment,
  request: Pick<FastifyRequest, 'ip'>,
  action: Extract<AuditAction, `session.${string}` | `login.${string}`>,
  person: Whom | null,
  after?: Record<string, unknown>,
): Promise<void> {
  await writeAudit(env.db, {
    at: env.clock.now(),
    by: actorOf(person),
    source: request.ip,
    action,
    accountId: person?.accountId ?? null,
    subject: person === null ? { type: 'logins', id: 'unknown' } : { type: tableOf[person.kind], id: person.id },
    ...(after ? { after } : {}),
  });
}

/** A person who signs in has no session yet. */
function actorOf(person: Whom | null): Actor {
  if (person?.kind === 'operator') return { kind: 'operator', id: person.id, email: person.email ?? 'operator' };
  return { kind: 'named', id: person === null ? 'unknown' : 'customer' };
}
