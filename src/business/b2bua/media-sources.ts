/** Which addresses a party may describe whose media must come from some only (`allowed_rtp_ips`). */
import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { addressPolicy } from '../../engines/outbound/address-policy.ts';
import { allowList, isAllowed } from '../accounts/allowed-ips.ts';

const publicAddresses = addressPolicy({ allowEverything: false, allowedRanges: [] });

/**
 * Behind NAT a party describes an address that nobody reaches: the embedded engine looks at where its packets come from
 * instead. rtpengine knows no lists, and without an engine nobody looks.
 */
export function mayDescribe(
  allowed: readonly string[] | null | undefined,
  media: Pick<MediaEngine, 'name'> | null,
): (address: string) => boolean {
  const list = allowList(allowed ?? []);
  const isHidden = (address: string) => media?.name === 'embedded' && !publicAddresses.allows(address);
  return (address) => isAllowed(list, address) || isHidden(address);
}
