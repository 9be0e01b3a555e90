/**
 * Applications by key for the request path. What was read is kept in memory until any process changes it; while changes
 * cannot be heard, nothing is kept and every request reads.
 */
import type { Environment } from '../../environment.ts';
import type { OtpApplication } from './application.ts';
import { findServedApplication } from './find-applications.ts';

export interface ApplicationDirectory {
  /** From memory; null says nothing about whether it exists. */
  kept(key: string): OtpApplication | null;
  /** From the database. */
  read(key: string): Promise<OtpApplication | null>;
}

const MOST_KEPT = 10_000;

export function createApplicationDirectory(env: Environment): ApplicationDirectory {
  const kept = new Map<string, OtpApplication>();
  // A row that was read before a change must not be kept after it.
  let heard = 0;
  env.changes.on('otp_application', (key) => {
    heard++;
    kept.delete(key);
  });
  env.changes.on('account', (accountId) => {
    heard++;
    for (const [key, application] of kept) if (application.accountId === accountId) kept.delete(key);
  });
  env.changes.onLost(() => {
    heard++;
    kept.clear();
  });
  return {
    kept: (key) => kept.get(key) ?? null,
    async read(key) {
      // PostgreSQL's text cannot hold such a key, so no application has it.
      if (key.length > 200 || key.includes('\0')) return null;
      const before = heard;
      const found = await findServedApplication(env, key);
      if (found !== null && env.changes.connected && heard === before) {
        if (kept.size >= MOST_KEPT) kept.clear();
        kept.set(key, found);
      }
      return found;
    },
  };
}
