/**
 * Decides whether a call from a source address is accepted, and from which carrier it is. The carriers are kept in
 * memory until any process changes one.
 */
import type { BlockList } from 'node:net';
import { keepUntilChanged } from '../../../engines/db/kept.ts';
import type { Environment } from '../../../engines/environment.ts';
import { allowList, isAllowed } from '../../accounts/allowed-ips.ts';
import type { Carrier } from '../call.ts';
import type { Refusal } from '../disconnect-codes.ts';
import { listCarriers } from './carriers.ts';

const refusals = {
  unlisted_source: { code: 403, text: 'Source address belongs to no carrier' },
  carrier_disabled: { code: 403, text: 'Carrier is disabled' },
  number_not_from_carrier: { code: 403, text: 'Carrier may not send calls to this number' },
} as const;

type SourceRefusal = Refusal<keyof typeof refusals>;

const refused = (reason: keyof typeof refusals): SourceRefusal => ({ reason, ...refusals[reason] });

/** `carrier` is null for a call from the sandbox's own machine. */
type Admitted = { carrier: Carrier | null } | SourceRefusal;

/** `number` is the called number: digits without a `+`. */
export type AdmitSource = (address: string, number: string) => Promise<Admitted>;

export function createSourceAdmission(env: Environment): AdmitSource {
  const kept = keepUntilChanged<Source[]>(env.changes, { outdatedBy: { carriers: () => true } });
  return async (address, number) => admit(env, await kept.read('sources', () => readSources(env)), address, number);
}

/** One network of one carrier. */
interface Source {
  network: BlockList | null;
  carrier: Carrier;
  enabled: boolean;
  prefixes: readonly string[] | null;
}

/** The smallest network first, then by the priority of the carrier. */
async function readSources(env: Environment): Promise<Source[]> {
  const sources = (await listCarriers(env)).flatMap(({ id, name, addresses, enabled, prefixes }) =>
    addresses.map((network) => ({
      bits: network.split('/')[1] ?? '',
      network: allowList([network]),
      ...{ carrier: { id, name }, enabled, prefixes },
    })),
  );
  return sources.sort((a, b) => Number(b.bits) - Number(a.bits));
}

const loopback = allowList(['127.0.0.0/8', '::1']);

function admit(env: Environment, sources: readonly Source[], address: string, number: string): Admitted {
  const listing = sources.filter(({ network }) => isAllowed(network, address));
  if (listing.length === 0) {
    return env.name === 'sandbox' && isAllowed(loopback, address) ? { carrier: null } : refused('unlisted_source');
  }
  const enabled = listing.filter((source) => source.enabled);
  if (enabled.length === 0) return refused('carrier_disabled');
  const sender = enabled.find(({ prefixes }) => prefixes?.some((prefix) => number.startsWith(prefix)) ?? true);
  return sender ? { carrier: sender.carrier } : refused('number_not_from_carrier');
}
