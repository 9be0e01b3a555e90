/**
 * The providers that this process has opened in an environment. Apart from how they are opened, so that closing an
 * environment does not load every kind of provider.
 */
import type { DeliveryProvider } from './provider.ts';

interface Opened {
  /** The settings it was opened with. */
  fingerprint: string;
  provider: DeliveryProvider;
}

export interface WithProviders {
  /** By the provider's id. */
  readonly providers: Map<string, Opened>;
}

export async function closeProviders(env: WithProviders): Promise<void> {
  const providers = [...env.providers.values()];
  env.providers.clear();
  await Promise.all(providers.map(({ provider }) => provider.close()));
}
