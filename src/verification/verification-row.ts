/** A verification as stored, and how it is found. */
import type { Selectable } from 'kysely';
import { runPrepared } from '../db/prepared.ts';
import { type Statement, statement } from '../db/statement.ts';
import type { VerificationsTable } from '../db/tables/verification.ts';
import type { Environment } from '../environment.ts';
import { isUuid } from '../uuid.ts';
import { OUTCOMES, type OutcomeCode } from './errors.ts';
import type { StoredState } from './state.ts';

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
  const remembered = statement`application_id = ${applicationId} and final_at > ${forgotten}`;
  const [row] =
    'id' in target
      ? await runPrepared(env.pool, 'verification_by_id', select(statement`${remembered} and id = ${target.id}`))
      : await runPrepared(
          env.pool,
          'verification_by_number',
          select(statement`${remembered} and destination = ${target.number} order by seq desc limit 1`),
        );
  return row === undefined ? null : asVerification(row);
}

function select(condition: Statement): Statement<Selectable<VerificationsTable>> {
  return statement`select * from verifications where ${condition}`;
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
