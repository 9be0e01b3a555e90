/** The host that this element puts into its own URIs. */
import type { SipEndpoint } from './endpoint.ts';

/** How this element names itself, for the domain of From. */
export function ownHost(endpoint: SipEndpoint): string {
  const { transport } = endpoint.agent;
  return (transport.localFor('UDP', '127.0.0.1') ?? transport.localFor('UDP', '::1'))?.host ?? 'localhost';
}
