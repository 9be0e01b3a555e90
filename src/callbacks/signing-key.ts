/**
 * Chooses the secret that signs a callback: the account's callback secret, otherwise the API key that created the
 * resource.
 */
import { unsealCallbackSecret } from '../accounts/account-columns.ts';
import { seal, unseal } from '../accounts/sealing.ts';
import type { Secret } from '../accounts/secret.ts';
import type { Environment } from '../environment.ts';

/** Encrypts the API key for storage with the resource: API keys are stored as hashes, which cannot sign. */
export function sealSigningKey(env: Environment, key: Secret | null): string | null {
  return key && seal(env.serverKey, 'callback signing key', key.reveal());
}

export interface SigningMaterial {
  sealed_callback_secret: string | null;
  sealed_signing_key: string | null;
}

export function signingSecret(env: Environment, material: SigningMaterial): string | null {
  if (material.sealed_callback_secret !== null) {
    return unsealCallbackSecret(env.serverKey, material.sealed_callback_secret);
  }
  return material.sealed_signing_key === null
    ? null
    : unseal(env.serverKey, 'callback signing key', material.sealed_signing_key);
}
