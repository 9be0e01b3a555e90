/** Links that set a password, sent by e-mail. They need a public URL: the host of a request could be anybody's. */
import type { Person } from '../../business/accounts/people.ts';
import { scheduleMail } from '../../business/mail/outbox.ts';
import type { Environment } from '../../engines/environment.ts';
import { type LinkPurpose, linkHours, linkPath } from './logins.ts';

export const canMailLinks = ({ mailer, publicUrl }: Environment): boolean => mailer !== null && publicUrl !== null;

/** Returns false if nothing is sent: the server sends no e-mails, or the person has no address. */
export async function mailLink(
  env: Environment,
  { email, accountId }: Pick<Person, 'email' | 'accountId'>,
  purpose: LinkPurpose,
  token: string,
): Promise<boolean> {
  if (!canMailLinks(env) || email === null) return false;
  const url = `${env.publicUrl}${linkPath(token, purpose)}`;
  return scheduleMail(env.db, env, {
    kind: purpose,
    accountId,
    to: email,
    ...textOf[purpose](url, linkHours[purpose]),
  });
}

const textOf: Readonly<Record<LinkPurpose, (url: string, hours: number) => { subject: string; text: string }>> = {
  reset: (url, hours) => ({
    subject: 'Set a new password',
    text: `Somebody asked for a new password of your login. This link sets it, once, within ${hours} hours:\n\n${url}\n\nIf it was not you, ignore this e-mail; the password stays as it is.\n`,
  }),
  invitation: (url, hours) => ({
    subject: 'You are invited',
    text: `You are invited to an account. This link sets your password, once, within ${hours / 24} days:\n\n${url}\n`,
  }),
  email: (url, hours) => ({
    subject: 'Confirm your e-mail address',
    text: `Somebody wants to sign in with this e-mail address from now on. If it is you, this link confirms it, once, within ${hours} hours:\n\n${url}\n\nIf it was not you, ignore this e-mail; nothing changes.\n`,
  }),
};
