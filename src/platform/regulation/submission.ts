/** Helpers for submitting address and emergency verifications. */
import { randomInt } from 'node:crypto';
import { sealSigningKey } from '../../callbacks/signing-key.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { Linkage } from '../../jsonapi/linkage.ts';
import { violatedConstraint } from '../../violated-constraint.ts';
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

/** Returns a random reference: three capital letters, a dash, six digits. */
export function newReference(): string {
  const letters = Array.from({ length: 3 }, () => String.fromCharCode(65 + randomInt(26))).join('');
  return `${letters}-${String(randomInt(1_000_000)).padStart(6, '0')}`;
}

/** Repeats a submission with another random reference if the first one is already taken. */
export async function withFreeReference<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!violatedConstraint(error)?.endsWith('_reference_key')) throw error;
    }
  }
}
