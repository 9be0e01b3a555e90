/**
 * The providers that this process has opened, by environment. Apart from how they are opened, so that closing an environment
 * does not load every kind of provider.
 */
import type { Environment } from '../../environment.ts';
import type { DeliveryProvider } from './provider.ts';

interface Opened {
  /** The settings it was opened with. */
  fingerprint: string;
  provider: DeliveryProvider;
}

const opened = new WeakMap<Environment, Map<string, Opened>>();

/** By the provider's id. */
export function openedProviders(env: Environment): Map<string, Opened> {
  const ofEnvironment = opened.get(env) ?? new Map<string, Opened>();
  opened.set(env, ofEnvironment);
  return ofEnvironment;
}

export async function closeProviders(env: Environment): Promise<void> {
  const providers = [...(opened.get(env)?.values() ?? [])];
  opened.delete(env);
  await Promise.all(providers.map(({ provider }) => provider.close()));
}
