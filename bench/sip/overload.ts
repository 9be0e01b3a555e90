/**
 * Twice the rate that a server is set to: the other half is refused with 503 at once, and afterwards all is as before.
 */
import type { Row } from '../row.ts';
import { talkMs } from './rate.ts';
import type { SipServer } from './sip-server.ts';
import { type Outcome, placeCalls } from './sipp.ts';
import type { SipWorld } from './world.ts';

const seconds = 8;
/** Leaves room for the refusals, and for what else the machine does. */
const share = 0.6;

export async function overloadRows(world: SipWorld, rate: number): Promise<Row[]> {
  const limit = Math.max(10, Math.round(rate * share));
  const server = await world.startTrunkline(limit);
  const place = ({ port, numbers }: SipServer, perSecond: number, calls: number): Promise<Outcome> =>
    placeCalls({ port, numbers, rate: perSecond, calls, talkMs });
  await place(server, Math.ceil(limit / 2), limit * 2);
  const over = await place(server, limit * 2, limit * 2 * seconds);
  // A new sipp takes longer to start than the second that the server has.
  const after = await place(server, Math.ceil(limit / 2), limit * 2);
  const decided = over.complete + over.refused;
  return [
    {
      measure: 'twice the calls a second that it is set to: answered or cleanly refused with 503 / all calls',
      ratio: over.retransmissions === 0 ? decided / over.calls : 0,
      required: { atLeast: 1 },
      note: `${limit * 2}/s at a limit of ${limit}/s: ${over.complete} answered, ${over.refused} refused, ${over.failed} failed, ${over.retransmissions} sent twice`,
    },
    {
      measure: 'the second after it, at half the limit: calls answered / all calls',
      ratio: after.complete / after.calls,
      required: { atLeast: 1 },
      note: `${after.complete} of ${after.calls} answered, ${after.retransmissions} sent twice, ${after.answeredAfterMs} ms to the answer on average`,
    },
  ];
}
