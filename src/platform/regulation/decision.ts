/** A reviewer's decision, and what can stand in its way. */

export type Decision = { action: 'approve' } | { action: 'reject'; reasons: readonly string[]; comment: string | null };

export type ReviewedType = 'address_verifications' | 'emergency_verifications';

export interface Review {
  id: string;
  decision: Decision;
  /** Who decides, for the audit log. */
  actor: string;
  /** Only a submission of this account; the sandbox's customers decide about their own. */
  accountId?: string;
}

export type ReviewOutcome =
  | { ok: true; status: 'approved' | 'rejected' }
  | { ok: false; reason: 'not_found' | 'already_decided' | 'insufficient_balance' };

/** The columns a decision writes. */
export function decidedColumns(decision: Decision, now: Date) {
  return decision.action === 'approve'
    ? { status: 'approved' as const, decided_at: now }
    : {
        status: 'rejected' as const,
        decided_at: now,
        reject_reasons: [...decision.reasons],
        reject_comment: decision.comment,
      };
}
