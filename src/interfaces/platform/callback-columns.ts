/** The callback that a customer asks for with a new record, as columns of its row. */
import { sealSigningKey } from '../../business/callbacks/callback-request.ts';
import type { CreateOf } from '../../engines/jsonapi/sent.ts';
import type { callbackAttributes } from './common-attributes.ts';
import { callerOf, type PlatformContext } from './context.ts';

type CallbackInput = CreateOf<typeof callbackAttributes, object>['attributes'];

/** Includes the sealed key that will sign it, if the account has no callback secret. */
export function callbackColumns(context: PlatformContext, input: CallbackInput) {
  const { callback_url = null, callback_method = null } = input;
  const sealed_signing_key = callback_url === null ? null : sealSigningKey(context.env, callerOf(context).signingKey);
  return { callback_url, callback_method, sealed_signing_key };
}
