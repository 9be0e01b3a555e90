/**
 * E-mails that wait to be sent: stored in the transaction that causes them, sent by a job, tried again while the server
 * is away. Without SMTP settings nothing is stored, and callers say so.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { MailsTable } from '../../engines/db/tables/mail.ts';
import type { Environment, Mail } from '../../engines/environment.ts';
import { handle, type TaskContext } from '../../engines/jobs/handler.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { seal, unseal } from '../accounts/secret.ts';

const sendTask = defineTask<{ mail_id: string }>('mail.send', {
  priority: 'callbacks',
  outward: true,
  lanes: { smtp: 4 },
});

export const mailTextPurpose = 'mail';
const minute = 60_000;
/** After each failed attempt; then the e-mail is given up. */
const waitsMs = [1, 10, 60, 6 * 60, 24 * 60].map((minutes) => minutes * minute);
/** What is left of an e-mail is deleted after this time. */
const keptDays = 30;

interface NewMail extends Mail {
  kind: MailsTable['kind'];
  accountId: string | null;
}

/** Returns false if this server sends no e-mails. */
export async function scheduleMail(trx: Kysely<Schema>, env: Environment, mail: NewMail): Promise<boolean> {
  if (env.mailer === null) return false;
  const { kind, accountId, to, subject, text, attachments } = mail;
  const now = env.clock.now();
  const before = new Date(now.getTime() - keptDays * 24 * 60 * minute);
  await trx.deleteFrom('mails').where('created_at', '<', before).execute();
  const { id } = await trx
    .insertInto('mails')
    .values({
      ...{ account_id: accountId, kind, recipient: to, created_at: now },
      sealed_text: seal(env.serverKey, mailTextPurpose, JSON.stringify({ subject, text, attachments })),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addAttempt(trx, env, id, now);
  return true;
}

const addAttempt = (trx: Kysely<Schema>, env: Environment, id: string, at: Date): Promise<void> =>
  env.jobs.add(trx, sendTask, { mail_id: id }, { at, key: `mail:${id}`, lanes: ['smtp'] });

export const sendMail = handle(sendTask, async ({ mail_id: id }, { env }: TaskContext<Environment>) => {
  const mail = await env.db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
  if (mail === undefined || mail.sealed_text === null || mail.recipient === null || env.mailer === null) return;
  const {
    subject,
    text,
    attachments = [],
  } = JSON.parse(unseal(env.serverKey, mailTextPurpose, mail.sealed_text)) as Omit<Mail, 'to'>;
  try {
    await env.mailer.send({ to: mail.recipient, subject, text, attachments });
  } catch (error) {
    await noteFailure(env, { ...mail, attempts: mail.attempts + 1 }, error);
    return;
  }
  const done = { attempts: mail.attempts + 1, sealed_text: null, recipient: null, last_error: null };
  await env.db
    .updateTable('mails')
    .set({ ...done, sent_at: env.clock.now() })
    .where('id', '=', id)
    .execute();
});

async function noteFailure(
  env: Environment,
  { id, kind, attempts }: { id: string; kind: string; attempts: number },
  error: unknown,
): Promise<void> {
  const reason = error instanceof Error ? error.message.slice(0, 500) : String(error);
  const wait = waitsMs[attempts - 1];
  env.log.warn({ mail: id, kind, attempt: attempts, givenUp: wait === undefined }, 'an e-mail could not be sent');
  const now = env.clock.now();
  const end = wait === undefined ? { given_up_at: now, sealed_text: null, recipient: null } : {};
  await env.db
    .updateTable('mails')
    .set({ attempts, last_error: reason, ...end })
    .where('id', '=', id)
    .execute();
  if (wait !== undefined) await addAttempt(env.db, env, id, new Date(now.getTime() + wait));
}
