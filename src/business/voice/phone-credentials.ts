/**
 * Credentials of a phone in the browser, for one trunk: made for a person who is signed in to the panel, and good for
 * some minutes. Nothing is stored: the user name says for what and until when, and the password is proof of it.
 */
import { createHmac } from 'node:crypto';
import type { Environment } from '../../engines/environment.ts';

/** A call that is up goes on after it, and the panel gets new ones in time as long as its session lasts. */
export const credentialMinutes = 10;

/** `in`: registers for an inbound trunk; `out`: calls through an outbound one. */
export type PhoneDirection = 'in' | 'out';

export interface PhoneUser {
  direction: PhoneDirection;
  trunkId: string;
  expiresAt: Date;
}

type Keys = Pick<Environment, 'name' | 'serverKey'>;

export function phoneCredentials(
  env: Keys & Pick<Environment, 'clock'>,
  direction: PhoneDirection,
  trunkId: string,
): { username: string; password: string; expiresAt: Date } {
  const expiresAt = new Date(env.clock.now().getTime() + credentialMinutes * 60_000);
  const username = ['browser', direction, trunkId.replaceAll('-', ''), Math.floor(expiresAt.getTime() / 1000)].join(
    '.',
  );
  const [password] = phonePasswords(env, username);
  return { username, password, expiresAt };
}

/** Whom a user name stands for; null if it is none of a browser. It proves nothing without its password. */
export function phoneUser(username: string): PhoneUser | null {
  const [, direction, id = '', seconds] = /^browser\.(in|out)\.([0-9a-f]{32})\.(\d{1,12})$/.exec(username) ?? [];
  if (direction !== 'in' && direction !== 'out') return null;
  const trunkId = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { direction, trunkId, expiresAt: new Date(Number(seconds) * 1000) };
}

/** The passwords of a user name: one for each server key that is in use, that of the newest first. */
export function phonePasswords({ name, serverKey }: Keys, username: string): [string, ...string[]] {
  const [first, ...others] = serverKey.derive('phones in the browser');
  const made = (key: typeof first) => createHmac('sha256', key).update(`${name} ${username}`).digest('base64url');
  return [made(first), ...others.map(made)];
}

/** Whether somebody has proven to be this user, and in time. */
export function isPhone(
  env: Keys & Pick<Environment, 'clock'>,
  { username, isMadeWith }: { username: string; isMadeWith(password: string): boolean },
  user: PhoneUser,
): boolean {
  return user.expiresAt > env.clock.now() && phonePasswords(env, username).some((password) => isMadeWith(password));
}
