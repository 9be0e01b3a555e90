/** Entries of the audit log about signing in and out. A customer is named by id only: entries outlive personal data. */
import type { FastifyRequest } from 'fastify';
import { type Person, tableOf } from '../accounts/people.ts';
import { type AuditAction, writeAudit } from '../audit.ts';
import type { Environment } from '../environment.ts';

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
    actor: person === null ? 'unknown' : person.kind === 'operator' ? (person.email ?? 'operator') : 'customer',
    ...(person?.kind === 'operator' ? { operatorId: person.id } : {}),
    source: request.ip,
    action,
    accountId: person?.accountId ?? null,
    subject: person === null ? { type: 'logins', id: 'unknown' } : { type: tableOf[person.kind], id: person.id },
    ...(after ? { after } : {}),
  });
}
