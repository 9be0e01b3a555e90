/** The audit log: who opened or checked a customer's file, and who decided a submission. */
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';

export interface AuditEntry {
  at: Date;
  /** The reviewer's name, or `sandbox`, or `system`. */
  actor: string;
  action: 'file.checked' | 'file.opened' | 'file.unreadable' | 'verification.approved' | 'verification.rejected';
  accountId: string;
  subject: { type: string; id: string };
  /** No personal data: entries stay when the person's data is erased. */
  details?: Record<string, unknown>;
}

export async function writeAudit(trx: Kysely<Schema>, entry: AuditEntry): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values({
      at: entry.at,
      actor: entry.actor,
      action: entry.action,
      account_id: entry.accountId,
      subject_type: entry.subject.type,
      subject_id: entry.subject.id,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}
