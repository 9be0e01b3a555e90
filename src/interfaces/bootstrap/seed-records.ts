/**
 * Writes calls of the past with their CDRs, and verifications in any state. `env.db` is the transaction of the whole
 * seed.
 */
import { sql } from 'kysely';
import { FieldError } from '../../base/fields.ts';
import { phraseOf } from '../../business/voice/disconnect-codes.ts';
import type { Environment } from '../../engines/environment.ts';
import { generateCode, hashCode } from '../verification/codes.ts';
import { textOf } from '../verification/delivery/waiting-code.ts';
import { type OutcomeCode, outcomeTexts } from '../verification/errors.ts';
import { uuidv7Floor } from '../verification/uuidv7.ts';
import type { SeedIds } from './seed-id.ts';
import { type CallSeed, pastMoment, type VerificationSeed } from './seeds.ts';

export async function seedCall(
  env: Environment,
  ids: SeedIds,
  accountId: string,
  seed: CallSeed,
  made: () => void,
): Promise<string> {
  const id = ids.of('call', seed);
  const known = await env.db
    .selectFrom('cdrs_in')
    .select('id')
    .where('account_id', '=', accountId)
    .where('call_id', '=', id)
    .executeTakeFirst();
  if (known !== undefined) return id;
  made();
  const start = pastMoment('at', seed.at, env.clock.now());
  const isAnswered = seed.code === 200 && seed.talk_seconds > 0;
  if (seed.talk_seconds > 0 && !isAnswered) {
    throw new FieldError('must be 200 for a call with talk_seconds', { path: 'code' });
  }
  const connect = new Date(start.getTime() + seed.ring_seconds * 1000);
  const end = new Date(connect.getTime() + seed.talk_seconds * 1000);
  if (end > env.clock.now()) throw new FieldError('must be past, and the call over', { path: 'at' });
  // In the same transaction: another connection would wait for the rows that this one has written.
  await sql`select ensure_month_partition('cdrs_in', ${start})`.execute(env.db);
  await env.db
    .insertInto('cdrs_in')
    .values({
      id,
      call_id: id,
      account_id: accountId,
      attempt: 1,
      is_last: true,
      time_start: start,
      time_connect: isAnswered ? connect : null,
      time_end: end,
      success: isAnswered,
      src_number: seed.src_number.replace(/^\+/, ''),
      did_number: seed.number,
      duration: isAnswered ? seed.talk_seconds : 0,
      disconnect_code: seed.code,
      response: phraseOf(seed.code),
      disconnect_initiator: isAnswered ? 'Origination' : 'Destination',
    })
    .execute();
  return id;
}

/** The newest pending one of a number holds its place: a new start waits for the cooldown and supersedes it. */
export async function seedVerification(
  env: Environment,
  ids: SeedIds,
  accountId: string,
  seed: VerificationSeed,
  made: () => void,
): Promise<string> {
  const application = await applicationOf(env, accountId, seed.application);
  const destination = seed.destination.replace(/^\+/, '');
  const now = env.clock.now();
  const createdAt =
    seed.created_at === null
      ? usualStart(seed, application.code_timeout, now)
      : pastMoment('created_at', seed.created_at, now);
  if (createdAt > now) throw new FieldError('must not be in the future', { path: 'created_at' });
  const expiresAt = new Date(createdAt.getTime() + application.code_timeout * 1000);
  if (seed.status === 'pending' && expiresAt <= now) {
    throw new FieldError('is too long ago for a pending verification', { path: 'created_at' });
  }
  if (seed.status === 'expired' && expiresAt > now) {
    throw new FieldError('is too recent for an expired verification', { path: 'created_at' });
  }
  // The id begins with the time, as ids of verifications do; the rest is the same in every run.
  const tail = ids.of('verification', seed).slice(19);
  const known = await env.db
    .selectFrom('verifications')
    .select('id')
    .where('application_id', '=', application.id)
    .where('destination', '=', destination)
    .where((where) => where(where.cast<string>('id', 'text'), 'like', `%${tail}`))
    .executeTakeFirst();
  if (known !== undefined) return known.id;
  made();

  const id = `${uuidv7Floor(createdAt).slice(0, 19)}${tail}`;
  const errorCode = errorOf(seed);
  const isStored = seed.status === 'pending' || seed.status === 'expired';
  const isSent = isStored || seed.status === 'verified' || errorCode === 'too_many_attempts';
  const code = seed.code ?? generateCode(application.code_length);
  if (code.length !== application.code_length) {
    throw new FieldError(`must have ${application.code_length} digits, as the application says`, { path: 'code' });
  }
  await env.db
    .insertInto('verifications')
    .values({
      id,
      application_id: application.id,
      account_id: accountId,
      destination,
      delivery_method: seed.delivery_method,
      status: seed.status === 'expired' ? 'pending' : seed.status,
      error_code: errorCode,
      fee: '0',
      language: 'en',
      app_hash: null,
      code_length: application.code_length,
      code_timeout: application.code_timeout,
      code_hash: isSent ? hashCode(env.serverKey, id, code) : null,
      created_at: createdAt,
      expires_at: expiresAt,
      dispatch_started_at: isSent ? createdAt : null,
      dispatched_at: isSent ? createdAt : null,
      final_at: isStored ? expiresAt : createdAt,
    })
    .execute();
  if (isSent) await putMessage(env, { id, accountId, destination, createdAt, code, method: seed.delivery_method });
  if (seed.status === 'pending') {
    const slot = { started_at: createdAt, verification_id: id };
    await env.db
      .insertInto('verification_slots')
      .values({ application_id: application.id, destination, ...slot })
      .onConflict((conflict) => conflict.columns(['application_id', 'destination']).doUpdateSet(slot))
      .execute();
  }
  return id;
}

/** Expired ones have expired a minute ago, unless the seed says when they were started. */
function usualStart({ status }: VerificationSeed, timeoutSeconds: number, now: Date): Date {
  return status === 'expired' ? new Date(now.getTime() - (timeoutSeconds + 60) * 1000) : now;
}

function errorOf({ status, error_code }: VerificationSeed): OutcomeCode | null {
  const fitting: OutcomeCode | null =
    status === 'failed' ? 'dispatch_failed' : status === 'denied' ? 'denied_by_callback' : null;
  if (error_code === null || status === 'expired') return fitting;
  if (fitting === null || outcomeTexts[error_code][0] !== status) {
    throw new FieldError(`does not go with the status ${status}`, { path: 'error_code' });
  }
  return error_code;
}

interface SeededMessage {
  id: string;
  accountId: string;
  destination: string;
  createdAt: Date;
  code: string;
  method: 'sms' | 'callout';
}

async function putMessage(env: Environment, message: SeededMessage): Promise<void> {
  const dispatch = { deliveryMethod: message.method, language: 'en', appHash: null };
  await env.db
    .insertInto('sandbox_messages')
    .values({
      verification_id: message.id,
      account_id: message.accountId,
      destination: message.destination,
      delivery_method: message.method,
      language: 'en',
      text: textOf(dispatch, message.code),
      code: message.code,
      created_at: message.createdAt,
    })
    .execute();
}

async function applicationOf(env: Environment, accountId: string, name: string | null) {
  const applications = await env.db
    .selectFrom('otp_applications')
    .select(['id', 'name', 'key', 'code_length', 'code_timeout'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .execute();
  const found =
    name === null ? applications[0] : applications.find((known) => known.name === name || known.key === name);
  if (found !== undefined) return found;
  const problem = name === null ? 'is needed: the account has no application' : 'is no application of the account';
  throw new FieldError(problem, { path: 'application' });
}
