/** Whether the ports of SIP are free, asked before a start makes anything. */

import type { SipConfig, SipPorts } from '../../business/b2bua/sip-settings.ts';
import { openWires } from '../../business/b2bua/wires.ts';

/** Reads the certificate too. A port that nobody chose may be taken: then there is no SIP. */
export async function requireFreeSipPorts(sip: SipConfig, ports: SipPorts): Promise<void> {
  const port = ports.isChosen ? ports.port : 0;
  const wires = await openWires(sip, { ...ports, port }, () => undefined);
  await Promise.all(wires.map((wire) => wire.close()));
}
