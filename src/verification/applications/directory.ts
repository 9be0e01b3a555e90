/**
 * Applications by key for the request path. What was read is kept in memory until any process changes it; while changes
 * cannot be heard, nothing is kept and every request reads.
 */
import { keepUntilChanged } from '../../db/kept.ts';
import type { Environment } from '../../environment.ts';
import type { OtpApplication } from './application.ts';
import { findServedApplication } from './find-applications.ts';

export interface ApplicationDirectory {
  /** From memory; null says nothing about whether it exists. */
  kept(key: string): OtpApplication | null;
  /** From the database. */
  read(key: string): Promise<OtpApplication | null>;
}

export function createApplicationDirectory(env: Environment): ApplicationDirectory {
  const kept = keepUntilChanged<OtpApplication | null>(env.changes, {
    outdatedBy: {
      otp_application: (key, _application, keptKey) => key === keptKey,
      account: (accountId, application) => application?.accountId === accountId,
    },
    worthKeeping: (application) => application !== null,
  });
  return {
    kept: (key) => kept.peek(key) ?? null,
    async read(key) {
      // PostgreSQL's text cannot hold such a key, so no application has it.
      if (key.length > 200 || key.includes('\0')) return null;
      return kept.refresh(key, () => findServedApplication(env, key));
    },
  };
}
