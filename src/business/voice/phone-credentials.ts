/**
 * Credentials of a phone in the browser, for one trunk: made for a person who is signed in to the panel, and good for
 * some minutes, as long as that session lasts and its person may make calls. Nothing is stored: the user name says for
 * what, for whom and until when, and the password is proof of it.
 */
import { createHmac } from 'node:crypto';
import type { Environment } from '../../engines/environment.ts';
import { rolesFor } from '../accounts/member-roles.ts';
import { callerOfSession } from '../accounts/sessions.ts';

/** A call that is up goes on after it, and the panel gets new ones in time as long as its session lasts. */
export const credentialMinutes = 10;

/** `in`: registers for an inbound trunk; `out`: calls through an outbound one. */
export type PhoneDirection = 'in' | 'out';

export interface PhoneUser {
  direction: PhoneDirection;
  trunkId: string;
  /** The session of the panel that the credentials were made in. */
  sessionId: string;
  expiresAt: Date;
}

type Keys = Pick<Environment, 'name' | 'serverKey'>;

export function phoneCredentials(
  env: Keys & Pick<Environment, 'clock'>,
  { direction, trunkId, sessionId }: Omit<PhoneUser, 'expiresAt'>,
): { username: string; password: string; expiresAt: Date } {
  const expiresAt = new Date(env.clock.now().getTime() + credentialMinutes * 60_000);
  const ids = [trunkId, sessionId].map((id) => id.replaceAll('-', ''));
  const username = ['browser', direction, ...ids, Math.floor(expiresAt.getTime() / 1000)].join('.');
  const [password] = phonePasswords(env, username);
  return { username, password, expiresAt };
}

/** Whom a user name stands for; null if it is none of a browser. It proves nothing without its password. */
export function phoneUser(username: string): PhoneUser | null {
  const [, direction, trunk = '', session = '', seconds] =
    /^browser\.(in|out)\.([0-9a-f]{32})\.([0-9a-f]{32})\.(\d{1,12})$/.exec(username) ?? [];
  if (direction !== 'in' && direction !== 'out') return null;
  const [trunkId, sessionId] = [withDashes(trunk), withDashes(session)];
  return { direction, trunkId, sessionId, expiresAt: new Date(Number(seconds) * 1000) };
}

const withDashes = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** The passwords of a user name: one for each server key that is in use, that of the newest first. */
export function phonePasswords({ name, serverKey }: Keys, username: string): [string, ...string[]] {
  const [first, ...others] = serverKey.derive('phones in the browser');
  const made = (key: typeof first) => createHmac('sha256', key).update(`${name} ${username}`).digest('base64url');
  return [made(first), ...others.map(made)];
}

/** The account of somebody who has proven to be this user, in time, and who may still make calls; null otherwise. */
export async function accountOfPhone(
  env: Environment,
  { username, isMadeWith }: { username: string; isMadeWith(password: string): boolean },
  user: PhoneUser,
): Promise<string | null> {
  const isProven = user.expiresAt > env.clock.now() && phonePasswords(env, username).some(isMadeWith);
  const caller = isProven ? await callerOfSession(env, user.sessionId) : null;
  return caller !== null && callingRoles.includes(caller.role) ? caller.accountId : null;
}

const callingRoles = rolesFor({ interface: 'panel/v1', type: 'phone_credentials', reads: false }) ?? [];
