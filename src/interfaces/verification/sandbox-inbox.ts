/** The sandbox's inbox: codes are delivered to it instead of a provider, and clients read it and wait for messages. */
import type { Selectable } from 'kysely';
import type { Pool } from 'pg';
import { groupedByAccount, groupedByPool } from '../../engines/db/grouped.ts';
import { runPrepared, statement } from '../../engines/db/statement.ts';
import type { SandboxMessagesTable } from '../../engines/db/tables/verification.ts';
import { runAgain } from '../../engines/db/transaction.ts';
import type { TakenFault } from '../../engines/injected-faults.ts';
import { generateCode, hashCode } from './codes.ts';
import { endDispatch } from './delivery/sending-steps.ts';
import { type Dispatch, dispatchTask, textOf } from './delivery/waiting-code.ts';
import type { VerificationEnvironment } from './environment.ts';
import { faultPoint } from './fault-points.ts';
import { listenForArrival, tellArrival } from './inbox-arrivals.ts';
import { observeDispatch } from './metrics.ts';
import { knownCode, type Scenario, scenarioOf, slowDispatchSeconds } from './sandbox-scenarios.ts';
import { uuidv7Floor } from './uuidv7.ts';
import { cooldownSeconds, pendingAt, stillPending } from './verification.ts';

export interface InboxMessage {
  id: string;
  verification_id: string;
  destination: string;
  delivery_method: 'sms' | 'callout';
  language: string;
  text: string;
  code: string;
  created_at: string;
}

const maxMessages = 100;

/** Newest first; `destination` null means all of them. */
export async function readInbox(
  env: VerificationEnvironment,
  accountId: string,
  destination: string | null,
): Promise<InboxMessage[]> {
  const rows = await (destination === null
    ? env.pool
        .query<StoredMessage>({ name: 'verification_inbox', text: inboxOfAccount, values: [accountId, maxMessages] })
        .then(({ rows }) => rows)
    : inboxOfNumber(env.pool, { accountId, destination }));
  return rows.map((row) => ({ ...row, id: String(row.id), created_at: row.created_at.toISOString() }));
}

type StoredMessage = Omit<Selectable<SandboxMessagesTable>, 'account_id' | 'copy'>;

const messageColumns =
  's.id, s.verification_id, s.destination, s.delivery_method, s.language, s.text, s.code, s.created_at';

const inboxOfAccount = `select ${messageColumns} from sandbox_messages s where s.account_id = $1 order by s.id desc limit $2`;

/**
 * Clients that ask together share one statement. They are given as JSON and not as arrays: of those PostgreSQL counts
 * the members, and may plan the statement anew each time.
 */
const inboxOfNumber = groupedByPool(
  async (pool: Pool, asked: readonly { accountId: string; destination: string }[]): Promise<StoredMessage[][]> => {
    const { rows } = await pool.query<StoredMessage & { place: number }>({
      name: 'verification_inbox_of_numbers',
      text: `select a.place, m.* from json_to_recordset($1::json) as a ("accountId" uuid, destination text, place integer)
        cross join lateral (
          select ${messageColumns} from sandbox_messages s where s.account_id = a."accountId" and s.destination = a.destination
          order by s.id desc limit $2) m
        order by a.place, m.id desc`,
      values: [JSON.stringify(asked.map((each, place) => ({ ...each, place }))), maxMessages],
    });
    const byPlace = Map.groupBy(rows, ({ place }) => place);
    return asked.map((_, index) => (byPlace.get(index) ?? []).map(({ place: _place, ...row }) => row));
  },
);

/** What one of the account's calls says; null for a text message and for any other id. */
export async function readInboxCall(
  env: VerificationEnvironment,
  accountId: string,
  id: number,
): Promise<Pick<InboxMessage, 'language' | 'code'> | null> {
  const call = await env.db
    .selectFrom('sandbox_messages')
    .select(['language', 'code'])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('delivery_method', '=', 'callout')
    .executeTakeFirst();
  return call ?? null;
}

/**
 * Like `readInbox`, but waits until there is a message, the time is over or the client has disconnected. While another
 * message to the number is being dispatched, it waits for that one: a client that has just started a second
 * verification needs the new code.
 */
export async function waitForInbox(
  env: VerificationEnvironment,
  accountId: string,
  destination: string | null,
  waitMs: number,
  signal: () => AbortSignal,
): Promise<InboxMessage[]> {
  if (waitMs === 0) return readInbox(env, accountId, destination);
  const deadline = performance.now() + waitMs;
  const gone = signal();
  for (;;) {
    const arrival = listenForArrival(env, destination, gone);
    try {
      const messages = await readInbox(env, accountId, destination);
      const left = deadline - performance.now();
      if (left <= 0 || gone.aborted) return messages;
      if (messages.length > 0) {
        if (!mayBeFollowed(env, destination, messages)) return messages;
        // Read again: a message may have arrived between the two queries.
        if (!(await isOneUnderway(env, accountId, destination))) return await readInbox(env, accountId, destination);
      }
      // Also read again every second: notifications are missed while their connection is down.
      await arrival.wait(Math.min(left, 1000));
    } finally {
      arrival.stop();
    }
  }
}

/** During the cooldown of the newest message's verification there cannot be another. */
function mayBeFollowed(env: VerificationEnvironment, destination: string | null, [newest]: InboxMessage[]): boolean {
  const inCooldown = uuidv7Floor(new Date(env.clock.now().getTime() - cooldownSeconds * 1000 + 1));
  return destination !== null && newest !== undefined && newest.verification_id < inCooldown;
}

async function isOneUnderway(
  env: VerificationEnvironment,
  accountId: string,
  destination: string | null,
): Promise<boolean> {
  const row = await env.db
    .selectFrom('otp_applications as a')
    .innerJoin('verifications as v', 'v.application_id', 'a.id')
    .select('v.id')
    .where('a.account_id', '=', accountId)
    .where('v.destination', '=', destination)
    .where('v.dispatched_at', 'is', null)
    .where(stillPending(env.clock.now(), 'v'))
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the code that is in the inbox now, or null if nothing was put there. */
export async function dispatchToInbox(env: VerificationEnvironment, dispatch: Dispatch): Promise<string | null> {
  const now = env.clock.now();
  const scenario = scenarioOf(dispatch.destination);
  const fault = await smsFault(env, dispatch, now);
  if (scenario === 'dispatch_failed' || fault?.name === 'sms.failed') {
    observeDispatch(env, 'inbox', 'refused', 0);
    await endDispatch(env, dispatch.id, 'dispatch_failed');
    return null;
  }
  if (scenario === 'stale') return null;
  if (fault?.name === 'sms.late') {
    const at = new Date(now.getTime() + (fault.seconds ?? slowDispatchSeconds) * 1000);
    await env.jobs.add(env.db, dispatchTask, { verification_id: dispatch.id }, { at });
    return null;
  }
  const slowAt = new Date(dispatch.createdAt.getTime() + slowDispatchSeconds * 1000);
  if (scenario === 'slow_dispatch' && now < slowAt) {
    await env.jobs.add(env.db, dispatchTask, { verification_id: dispatch.id }, { at: slowAt });
    return null;
  }
  const code = codeOf(scenario, dispatch.codeLength);
  faultPoint('dispatch.prepared');
  const began = performance.now();
  const isPut = await putIntoInbox(env.pool, {
    id: dispatch.id,
    accountId: dispatch.accountId,
    codeHash: hashCode(env.serverKey, dispatch.id, code).toString('hex'),
    text: textOf(dispatch, code),
    code,
    copies: fault?.name === 'sms.twice' ? 2 : 1,
    now,
  });
  observeDispatch(env, 'inbox', 'sent', (performance.now() - began) / 1000);
  if (isPut) tellArrival(env, dispatch.destination);
  faultPoint('dispatch.committed');
  return isPut ? code : null;
}

const codeOf = (scenario: Scenario | null, length: number): string =>
  scenario === 'known_code' ? knownCode(length) : generateCode(length);

/** A fault that a test has asked for; a message that was late once is not late again. */
async function smsFault(env: VerificationEnvironment, dispatch: Dispatch, now: Date): Promise<TakenFault | null> {
  if (env.faults === undefined || dispatch.deliveryMethod !== 'sms') return null;
  const isRepeated = now.getTime() - dispatch.createdAt.getTime() >= 1000;
  const names = ['sms.failed', 'sms.twice', ...(isRepeated ? [] : (['sms.late'] as const))] as const;
  return env.faults.take(names, dispatch.accountId);
}

/** A code on its way into the inbox. */
interface Delivery {
  id: string;
  accountId: string;
  /** In hexadecimal digits. */
  codeHash: string;
  text: string;
  code: string;
  copies: number;
  now: Date;
}

/**
 * One statement marks the record as dispatched and inserts the message, so it is delivered exactly once. Codes of an
 * account that are sent together share it.
 */
const putIntoInbox = groupedByAccount(
  null,
  ({ accountId }: Delivery) => accountId,
  async (pool: Pool, deliveries: readonly Delivery[]): Promise<boolean[]> => {
    const now = new Date(Math.max(...deliveries.map((delivery) => delivery.now.getTime())));
    const putting = statement<{ verification_id: string }>`
      with given as materialized (
        select * from json_to_recordset(${JSON.stringify(deliveries)}::json) as g (
          id uuid, "codeHash" text, text text, code text, copies integer)
      ), dispatched as (
        update verifications v
        set code_hash = decode(g."codeHash", 'hex'), dispatch_started_at = ${now}, dispatched_at = ${now}
        from (select id, "codeHash" from given order by id) g
        where v.id = g.id and v.dispatched_at is null and ${pendingAt(now, 'v')}
        returning v.id, v.account_id, v.destination, v.delivery_method, v.language
      )
      insert into sandbox_messages (verification_id, account_id, destination, delivery_method, language, text, code, created_at, copy)
      select d.id, d.account_id, d.destination, d.delivery_method, d.language, g.text, g.code, ${now}, copy
      from dispatched d join given g using (id), generate_series(1, g.copies) as copy order by d.id, copy
      returning verification_id`;
    const rows = await runAgain(() => runPrepared(pool, 'verification_into_inbox', putting));
    const put = new Set(rows.map(({ verification_id }) => verification_id));
    return deliveries.map(({ id }) => put.has(id));
  },
);
