/** The outbound implementation of `Direction`. */
import type { Direction } from '../direction.ts';
import type { OutboundCall } from './call.ts';
import { outboundCdr, outboundCharge } from './cdr.ts';
import { outboundConnect, outboundEnd, outboundStart } from './events.ts';
import { blockAtThreshold } from './threshold.ts';

export const outbound: Direction<OutboundCall> = {
  name: 'out',
  cdrTable: 'cdrs_out',
  eventStream: 'voice_out_events',
  cdrStream: 'voice_out_cdr',
  holding: ({ trunkId }) => ({ trunkId, trunkGroupId: null, didId: null, channel: null, sharedCapacityGroupId: null }),
  startEvent: outboundStart,
  connectEvent: outboundConnect,
  endEvent: outboundEnd,
  settle(call) {
    const charge = outboundCharge(call);
    return { cdrs: [outboundCdr(call, charge)], charges: charge ? [{ cause: 'call_charge', charge }] : [] };
  },
  beforeCharge: (trx, env, call) => blockAtThreshold(trx, env, call.trunkId),
};
