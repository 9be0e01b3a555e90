/** Whether the ports of media can be opened, asked before a start makes anything. */
import { OperatorError } from '../../base/operator-error.ts';
import { mediaAddresses } from '../../business/b2bua/media-addresses.ts';
import type { MediaConfig, PortRange } from '../../business/b2bua/media-settings.ts';
import type { SipConfig } from '../../business/b2bua/sip-settings.ts';
import { PortPairs } from '../../engines/media/embedded/port-pairs.ts';
import { openPair } from '../../engines/media/embedded/sockets.ts';
import { MediaUnavailable } from '../../engines/media/media-engine.ts';

/** Other processes of this machine may have ports of the range: one pair must be left. */
export async function requireMediaPorts(sip: SipConfig, media: MediaConfig, ports: PortRange): Promise<void> {
  const { bound } = await mediaAddresses(sip, media);
  for (const host of bound) {
    try {
      (await openPair(host, { pairs: PortPairs.ofRange(ports), owner: 1 })).close();
    } catch (error) {
      if (!(error instanceof MediaUnavailable)) throw error;
      throw new OperatorError(`TRUNKLINE_MEDIA_PORTS ${ports.from}-${ports.to} cannot be used: ${error.message}`);
    }
  }
}
