/** Runs an outbound call from a script instead of a SIP leg. It runs at once; its timestamps follow the script. */

import { newLegId } from '../call.ts';
import type { CallHost } from '../call-host.ts';
import { later } from '../moment.ts';
import { hangUp } from '../reasons.ts';
import type { OutboundCall } from './call.ts';
import type { OutboundRefusalReason, OutboundRequest } from './decide.ts';
import { placeCall } from './place-call.ts';

export interface OutboundScript {
  code: number;
  ring_seconds: number;
  talk_seconds: number;
}

export type SimulatedOutbound =
  | { refused: OutboundRefusalReason | 'challenged'; code: number }
  | { call: OutboundCall };

export async function simulateOutbound(
  host: CallHost,
  request: OutboundRequest & { at?: Date },
  script: OutboundScript,
): Promise<SimulatedOutbound> {
  const placed = await placeCall(host, { ...request, sourcePort: 5060, sourceProtocol: 'UDP', callId: newLegId() });
  if ('challenge' in placed) return { refused: 'challenged', code: 401 };
  if ('code' in placed) return { refused: placed.reason, code: placed.code };
  const { live } = placed;
  const answer = later(live.call.timeStart, script.ring_seconds);
  if (script.ring_seconds > 0) live.ringing();
  if (script.code >= 300) {
    await live.attemptFailed(script.code, answer);
    return { call: live.call };
  }
  await live.answered(answer);
  await live.end(hangUp, later(answer, script.talk_seconds));
  return { call: live.call };
}
