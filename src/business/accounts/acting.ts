/**
 * Marks what operators do while they act as a customer: an entry of the audit log for each request that changes
 * something, and for each record it makes.
 */

import type { Environment } from '../../engines/environment.ts';
import { writeAudit } from '../audit.ts';
import type { Caller } from './caller.ts';

/** Notes that a request of an operator who acts as a customer asks for a change, whether it succeeds or not. */
export async function noteActing(
  env: Environment,
  { actor, accountId, actingReason }: Caller,
  request: { readonly method: string; readonly url: string; readonly ip: string },
): Promise<void> {
  await writeAudit(env.db, {
    at: env.clock.now(),
    by: actor,
    source: request.ip,
    action: 'account.acted_as',
    accountId,
    subject: { type: 'accounts', id: accountId },
    after: { request: `${request.method} ${request.url.split('?', 1)[0] ?? ''}` },
    reason: actingReason,
  });
}

/** What a context of the engine needs so that records made by an operator are marked; nothing for everybody else. */
export function markRecordsOf(
  db: Environment['db'],
  clock: Environment['clock'],
  caller: Caller | null,
  source: string,
): { noteCreated?: (type: string, id: string) => Promise<void> } {
  if (caller?.actor.kind !== 'operator') return {};
  const { actor, accountId, actingReason } = caller;
  const noteCreated = (type: string, id: string): Promise<void> =>
    writeAudit(db, {
      at: clock.now(),
      by: actor,
      source,
      action: 'account.record_made',
      accountId,
      subject: { type, id },
      reason: actingReason,
    });
  return { noteCreated };
}

/** SQL: whether an operator who acted as the customer has made the row `t` of a type. */
export const madeByOperator = (type: string): string =>
  `exists (select from audit_log a where a.subject_type = '${type}' and a.subject_id = t.id::text and a.action = 'account.record_made')`;
