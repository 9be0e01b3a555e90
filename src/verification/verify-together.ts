/**
 * Verifies the records of reports whose code is right, if nothing has to be charged. Reports that arrive together are one statement
 * and one commit.
 */
import type { Pool } from 'pg';
import { groupedByPool } from '../db/grouped.ts';
import { statement } from '../db/statement.ts';
import type { ShownRow } from './responses.ts';
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

/** The record that is verified now; null if there is none, or if the report needs more than this statement. */
export const verifyRecord = groupedByPool(
  async (pool: Pool, reports: readonly ReportedCode[]): Promise<(ShownRow | null)[]> => {
    const now = new Date(Math.max(...reports.map((report) => report.now.getTime())));
    // One entry for each hash that the record may have.
    const asked = reports.flatMap(({ id, applicationId, deliveryMethod, hashes }, index) =>
      hashes.map((hash) => ({ id, applicationId, deliveryMethod, place: index + 1, hash: hash.toString('hex') })),
    );
    // Two reports of one record may both be right: the one whose place is returned has verified it. The ids are named twice: before
    // PostgreSQL knows how many rows there are, it would read all of them.
    const { text, values } = statement`
      with asked as materialized (
        select * from json_to_recordset(${JSON.stringify(asked)}::json) as a (
          id uuid, "applicationId" uuid, "deliveryMethod" text, place integer, hash text)
      )
      update verifications v set status = 'verified', final_at = ${now} from asked a
      where v.id = a.id and v.id = any(array(select id from asked)) and v.application_id = a."applicationId"
        and v.delivery_method = a."deliveryMethod" and v.code_hash = decode(a.hash, 'hex') and v.fee = 0
        and v.dispatched_at is not null and ${pendingAt(now, 'v')}
      returning a.place, v.id, v.destination, v.delivery_method, v.fee, v.language, v.app_hash, v.code_length, v.code_timeout, v.status,
        v.error_code, v.created_at, v.expires_at, v.dispatched_at`.compile();
    const { rows } = await pool.query<ShownRow & { place: number }>({
      name: 'verification_verify_together',
      text,
      values,
    });
    const byPlace = new Map(rows.map(({ place, ...record }) => [place, record]));
    return reports.map((_, index) => byPlace.get(index + 1) ?? null);
  },
);
