/** A verification as stored, and how it is found. */
import type { Selectable } from 'kysely';
import { runPrepared } from '../db/prepared.ts';
import type { VerificationsTable } from '../db/tables/verification.ts';
import type { Environment } from '../environment.ts';
import { OUTCOMES, type OutcomeCode } from './errors.ts';
import type { StoredState } from './state.ts';
import { isUuid } from './uuidv7.ts';

export type VerificationRow = Omit<Selectable<VerificationsTable>, 'error_code' | 'status'> & StoredState;

/** Which record a request is about: by its id, or the newest of a number. */
export type Target = { id: string } | { number: string };

/** Null when the application has none, or it is past its retention, removed already or not. */
export async function findVerification(
  env: Environment,
  applicationId: string,
  target: Target,
  retentionHours: number,
): Promise<VerificationRow | null> {
  if ('id' in target ? !isUuid(target.id) : target.number === '') return null;
  const forgotten = new Date(env.clock.now().getTime() - retentionHours * 3_600_000);
  const remembered = env.db
    .selectFrom('verifications')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('final_at', '>', forgotten);
  const [row] =
    'id' in target
      ? await runPrepared(env.pool, 'verification_by_id', remembered.where('id', '=', target.id).compile())
      : await runPrepared(
          env.pool,
          'verification_by_number',
          remembered.where('destination', '=', target.number).orderBy('seq', 'desc').limit(1).compile(),
        );
  return row === undefined ? null : asVerification(row);
}

export function asVerification(row: Selectable<VerificationsTable>): VerificationRow {
  return { ...row, error_code: asOutcome(row.error_code) };
}

function asOutcome(code: string | null): OutcomeCode | null {
  if (code === null) return null;
  if (isOutcome(code)) return code;
  throw new Error(`"${code}" is no outcome of a verification`);
}

function isOutcome(code: string): code is OutcomeCode {
  return Object.hasOwn(OUTCOMES, code);
}
