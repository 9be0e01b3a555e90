/** Proves the books every night in production and keeps the result, which /metrics and /operator/v1 show. */

import { verifyLedger } from '../../../business/money/ledger-checks.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { dateTime, integer, list } from '../../../engines/jsonapi/attributes.ts';
import { flag } from '../../../engines/jsonapi/filters.ts';
import { operatorType } from '../context.ts';
import { createdBetween, partOfText } from '../lookups/shared-filters.ts';

const verifyTask = defineTask('money.verify', { priority: 'background' });
const hourUtc = 3;
const keptDays = 400;

/** Plans the next proof, once: a second call replaces the same job. */
export async function planVerification(env: Environment): Promise<void> {
  const at = new Date(env.clock.now());
  at.setUTCHours(hourUtc, 0, 0, 0);
  if (at <= env.clock.now()) at.setUTCDate(at.getUTCDate() + 1);
  await env.jobs.add(env.db, verifyTask, {}, { at, key: verifyTask.name });
}

export const verifyBooks = handle(verifyTask, async (_payload, { env }: TaskContext<Environment>) => {
  await keepVerification(env);
  await planVerification(env);
});

/** Returns how many checks found something wrong. */
export async function keepVerification(env: Environment): Promise<number> {
  const started = performance.now();
  const results = await verifyLedger(env.db);
  const failed = results.filter(({ offences }) => offences.length > 0);
  if (failed.length > 0) env.log.error({ checks: failed.map(({ name }) => name) }, 'the ledger is off');
  const now = env.clock.now();
  await env.db
    .insertInto('ledger_verifications')
    .values({
      checks: results.length,
      failed: failed.length,
      offences: JSON.stringify(failed),
      duration_ms: Math.round(performance.now() - started),
      created_at: now,
    })
    .execute();
  const before = new Date(now.getTime() - keptDays * 86_400_000);
  await env.db.deleteFrom('ledger_verifications').where('created_at', '<', before).execute();
  return failed.length;
}

export const ledgerVerifications = operatorType('ledger_verifications', {
  group: 'Money',
  noun: 'proof of the books',
  summary: 'One run of all checks of the ledger; every night in production.',
  attributes: {
    checks: integer({ doc: 'How many checks there are.' }),
    failed: integer({ doc: 'How many of them found something wrong.' }),
    failed_checks: list(
      { type: 'string' },
      { column: `array(select o->>'name' from jsonb_array_elements(t.offences) o)`, doc: 'Their names.' },
    ),
    duration_ms: integer({ doc: 'Milliseconds it took.' }),
    created_at: dateTime({ doc: 'When.' }),
  },
  filters: {
    is_clean: flag('t.failed = 0'),
    failed_check_contains: partOfText('the name of a check that failed', 't.offences::text'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
});
