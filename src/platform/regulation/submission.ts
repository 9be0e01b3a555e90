/** Helpers for submitting address and emergency verifications. */
import { sealSigningKey } from '../../callbacks/callback-request.ts';
import { callerOf, type PlatformContext } from '../context.ts';

export type CallbackAttributes = {
  callback_url?: string | null;
  callback_method?: 'get' | 'post' | null;
};

/** Returns the columns of the callback, including the sealed key that will sign it. */
export function callbackColumns(context: PlatformContext, attributes: CallbackAttributes) {
  const { callback_url = null, callback_method = null } = attributes;
  const sealed_signing_key = callback_url === null ? null : sealSigningKey(context.env, callerOf(context).signingKey);
  return { callback_url, callback_method, sealed_signing_key };
}
