/** Passkeys in the browser. They belong to a host name: an address such as 127.0.0.1 has none, `localhost` does. */

import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type { Session } from './queries.ts';
import { pathWith } from './routes.ts';
import type { Send } from './writer.ts';

export const hasPasskeys = (): boolean => browserSupportsWebAuthn() && !/^[\d.]+$|:/.test(window.location.hostname);

export async function signInWithPasskey(send: Send): Promise<Session> {
  const { token, options } = await send('POST', pathWith('/panel/v1/session/passkey/options'));
  const response = await startAuthentication({ optionsJSON: options });
  return send('POST', pathWith('/panel/v1/session/passkey'), { token, response: { ...response } });
}

/** Proves that the signed-in person is here. */
export async function confirmWithPasskey(send: Send): Promise<void> {
  const { token, options } = await send('POST', pathWith('/panel/v1/login/confirm/passkey/options'));
  const response = await startAuthentication({ optionsJSON: options });
  await send('POST', pathWith('/panel/v1/login/confirm/passkey'), { token, response: { ...response } });
}

export async function addPasskey(send: Send, name: string): Promise<void> {
  const { token, options } = await send('POST', pathWith('/panel/v1/login/passkeys/options'), {});
  const response = await startRegistration({ optionsJSON: options });
  await send('POST', pathWith('/panel/v1/login/passkeys'), { token, name, response: { ...response } });
}
