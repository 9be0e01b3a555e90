/** Helpers for submitting address and emergency verifications. */
import { sealSigningKey } from '../../callbacks/callback-request.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { Linkage } from '../../jsonapi/linkage.ts';
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

/** Returns the ids of the links; rejects a request that names one twice. */
export function uniqueIds(relationship: string, links: readonly Linkage[]): string[] {
  const ids = links.map(({ id }) => id.toLowerCase());
  if (new Set(ids).size < ids.length) refuse(invalid.relationship(relationship, messages.invalid));
  return ids;
}
