/**
 * Finds the records of reports and verifies those whose code is right, if nothing has to be charged. Reports that arrive together are
 * one statement and one commit.
 */
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import { groupedByPool } from '../db/grouped.ts';
import { statement } from '../db/statement.ts';
import type { VerificationsTable } from '../db/tables/verification.ts';
import { pendingAt } from './verification.ts';

/** A report as far as the database compares it. */
interface ReportedCode {
  id: string;
  applicationId: string;
  deliveryMethod: string;
  /** By the present and by former server keys; comparing keyed hashes tells nothing about the code by its time. */
  hashes: readonly Buffer[];
  now: Date;
}

type FoundRecord = Selectable<VerificationsTable> & { is_verified_now: boolean };

/** The record as it was before, and whether it is verified now; null if there is none. */
export const findAndVerify = groupedByPool(
  async (pool: Pool, reports: readonly ReportedCode[]): Promise<(FoundRecord | null)[]> => {
    const now = new Date(Math.max(...reports.map((report) => report.now.getTime())));
    const hashes = reports.flatMap((report, index) => report.hashes.map((hash) => ({ place: index + 1, hash })));
    const ids = reports.map(({ id }) => id);
    // Two reports of one record may both be right: the one whose place is returned has verified it.
    const { text, values } = statement`
      with asked as materialized (
        select * from unnest(${ids}::uuid[], ${reports.map(({ applicationId }) => applicationId)}::uuid[],
          ${reports.map(({ deliveryMethod }) => deliveryMethod)}::text[]) with ordinality as a (id, application_id, delivery_method, place)
      ), hashes as materialized (
        select * from unnest(${hashes.map(({ place }) => place)}::int[], ${hashes.map(({ hash }) => hash)}::bytea[]) as h (place, hash)
      ), verified as (
        update verifications v set status = 'verified', final_at = ${now} from asked a
        where v.id = a.id and v.id = any(${ids}::uuid[]) and v.application_id = a.application_id and v.fee = 0
          and v.delivery_method = a.delivery_method and exists (select from hashes h where h.place = a.place and h.hash = v.code_hash)
          and v.dispatched_at is not null and ${pendingAt(now, 'v')}
        returning a.place
      )
      select a.place::int as place, exists (select from verified d where d.place = a.place) as is_verified_now,
        v.id, v.seq, v.application_id, v.account_id, v.destination, v.delivery_method, v.status, v.error_code, v.fee, v.language, v.app_hash,
        v.code_length, v.code_timeout, v.code_hash, v.wrong_reports, v.created_at, v.expires_at, v.dispatch_started_at, v.dispatched_at,
        v.final_at, v.dispatch_provider_id, v.dispatch_in_doubt, v.counted_in, v.early_reports
      from asked a join verifications v on v.id = a.id where v.id = any(${ids}::uuid[])`.compile();
    const { rows } = await pool.query<FoundRecord & { place: number }>({
      name: 'verification_verify_together',
      text,
      values,
    });
    const byPlace = new Map(rows.map(({ place, ...record }) => [place, record]));
    return reports.map((_, index) => byPlace.get(index + 1) ?? null);
  },
);
