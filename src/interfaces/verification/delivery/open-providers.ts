/** The providers of one environment in this process: opened at first use, kept while their settings stay the same. */

import { unseal } from '../../../business/accounts/secret.ts';
import type { Environment } from '../../../engines/environment.ts';
import { httpProvider, httpSettings } from './http-provider.ts';
import type { WithProviders } from './opened-providers.ts';
import { type DeliveryProvider, DeliveryRefused, providerSecretPurpose } from './provider.ts';
import { recordReceipt } from './receipts.ts';
import type { RoutedProvider } from './routing.ts';
import { smppProvider, smppSettings } from './smpp-provider.ts';

export function openProvider(env: Environment & WithProviders, routed: RoutedProvider): DeliveryProvider {
  const fingerprint = JSON.stringify([routed.kind, routed.settings, routed.sealedSecret]);
  const known = env.providers.get(routed.id);
  if (known?.fingerprint === fingerprint) return known.provider;
  const provider = make(env, routed);
  known?.provider.close().catch(() => undefined);
  env.providers.set(routed.id, { fingerprint, provider });
  return provider;
}

function make(env: Environment, { id, name, kind, settings, sealedSecret }: RoutedProvider): DeliveryProvider {
  const secret = sealedSecret === null ? '' : unseal(env.serverKey, providerSecretPurpose, sealedSecret);
  if (kind === 'http' && httpSettings.allows(settings)) return httpProvider(env.outbound, settings, secret);
  if (kind === 'smpp' && smppSettings.allows(settings)) {
    return smppProvider(settings, secret, {
      receipt: async (receipt) => void (await recordReceipt(env, id, receipt)),
      connection: (problem) => {
        if (problem === null) env.log.info({ provider: name }, 'bound to the SMSC');
        else env.log.warn({ provider: name, err: problem }, 'no session with the SMSC');
      },
    });
  }
  const unreadable = () => new DeliveryRefused(`the settings of provider ${name} cannot be read`, 'settings', true);
  return { concurrency: 1, close: async () => undefined, send: () => Promise.reject(unreadable()) };
}
