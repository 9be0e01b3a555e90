/**
 * Tells a person by e-mail that something about their login has changed, so that they notice what was not their doing.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import type { Person } from '../accounts/people.ts';
import { scheduleMail } from './outbox.ts';

const changes = {
  password: 'The password of your login was changed',
  passkey_added: 'A passkey was added to your login',
  passkey_removed: 'A passkey of your login was removed',
  app_added: 'An authenticator app was added to your login',
  app_removed: 'The authenticator app of your login was removed',
  recovery_codes: 'Your login got new recovery codes',
  email: 'The e-mail address of your login was changed',
} as const;

interface Notice {
  change: keyof typeof changes;
  /** The client's address, or the way that has none. */
  source: string;
  /** What else has happened, each a sentence. */
  further?: readonly string[];
}

/** Returns false if nothing is sent: the server sends no e-mails, or the person has no address. */
export async function scheduleSecurityNotice(
  trx: Kysely<Schema>,
  env: Environment,
  { email, accountId }: Pick<Person, 'email' | 'accountId'>,
  { change, source, further = [] }: Notice,
): Promise<boolean> {
  if (email === null) return false;
  const subject = changes[change];
  const at = env.clock.now().toISOString().replace('T', ' ').slice(0, 19);
  const lines = [`${subject}, on ${at} UTC, from ${source}.`, ...further];
  const text = `${lines.join('\n')}\n\nIf it was you, there is nothing to do. If not, ask for a new password at once and tell the operator.\n`;
  return scheduleMail(trx, env, { kind: 'security_notice', accountId, to: email, subject, text });
}
