/** Runs calls from a script instead of SIP legs. A call runs at once; its timestamps follow the script. */
import { type Disconnect, newLegId } from './call.ts';
import { hangUp, phraseOf, type Refusal, ringingTimeoutCode } from './disconnect-codes.ts';
import { type Arrival, arrive } from './inbound/arrive.ts';
import type { InboundCall } from './inbound/call.ts';
import type { RouteTrunk } from './inbound/route.ts';
import type { LiveCall } from './live-call.ts';
import { later } from './moment.ts';
import type { OutboundCall } from './outbound/call.ts';
import type { OutboundRefusal, OutboundRequest } from './outbound/decide.ts';
import { placeCall } from './outbound/place-call.ts';
import type { CallHost } from './ports.ts';
import { scheduleRenewal } from './renew-call.ts';

export interface Outcome {
  /** A SIP status, or `timeout`: rings until the trunk's ringing timeout. */
  code: number | 'timeout';
  ring_seconds?: number;
}

export interface CallScript {
  /** One outcome per attempt; the last one repeats. */
  outcomes: readonly Outcome[];
  /** Null: the call stays active until somebody hangs up. */
  talk_seconds: number | null;
  /** How an answered call ends; without it the caller hangs up. */
  disconnect?: Disconnect;
}

export interface SimulatedCall {
  call: InboundCall;
  status: 'answered' | 'completed' | 'failed';
}

/** Called for each step. */
type Step = (at: Date, text: string) => void;

export async function simulateInbound(
  host: CallHost,
  arrival: Arrival,
  script: CallScript,
  step: Step = () => undefined,
): Promise<SimulatedCall> {
  const arrived = await arrive(host, arrival);
  if (arrived.refusal !== null) return { call: arrived.call, status: 'failed' };
  const { live } = arrived;
  let at = live.call.timeStart;
  for (let index = 0; ; index++) {
    const outcome = script.outcomes[Math.min(index, script.outcomes.length - 1)] ?? { code: 200 };
    const played = await playAttempt(live, outcome, at, step);
    at = played.at;
    if (played.result === 'ended') return { call: live.call, status: 'failed' };
    if (played.result === 'answered') break;
  }
  if (script.talk_seconds === null) {
    await scheduleRenewal(host.env, live.call, live.paidSeconds);
    return { call: live.call, status: 'answered' };
  }
  const cut = await payFor(live, script.talk_seconds);
  at = later(at, cut === null ? script.talk_seconds : (live.paidSeconds ?? 0));
  const disconnect = cut ?? script.disconnect ?? hangUp;
  step(at, disconnect === hangUp ? 'BYE from the caller' : disconnect.reason);
  await live.end(disconnect, at);
  return { call: live.call, status: 'completed' };
}

/** Returns how the call is cut if money ends before its script does. */
async function payFor(
  live: Pick<LiveCall<InboundCall, unknown>, 'paidSeconds' | 'extend'>,
  seconds: number,
): Promise<Disconnect | null> {
  while (live.paidSeconds !== null && live.paidSeconds < seconds) {
    const cut = await live.extend();
    if (cut !== null) return cut;
  }
  return null;
}

async function playAttempt(live: LiveCall<InboundCall, RouteTrunk>, outcome: Outcome, start: Date, step: Step) {
  const attempt = live.call.attempts.at(-1);
  const timeout = attempt?.ringingTimeoutSeconds ?? 0;
  step(start, `INVITE ${attempt?.destination} (trunk "${attempt?.trunkName}")`);
  const ring = outcome.code === 'timeout' ? timeout : (outcome.ring_seconds ?? 0);
  const code = outcome.code === 'timeout' || ring > timeout ? ringingTimeoutCode : outcome.code;
  const at = later(start, Math.min(ring, timeout));
  if (ring > 0) {
    live.ringing();
    step(start, '180 Ringing');
  }
  if (code >= 200 && code < 300) {
    step(at, `${code} OK`);
    await live.answered(at);
    return { result: 'answered' as const, at };
  }
  step(at, `${code} ${phraseOf(code)}`);
  return { result: await live.attemptFailed({ code }, at), at };
}

interface OutboundScript {
  code: number;
  ring_seconds: number;
  talk_seconds: number;
}

type SimulatedOutbound = { refused: OutboundRefusal | Refusal<'challenged'> } | { call: OutboundCall };

const challenged = { code: 401, reason: 'challenged', text: 'Credentials are asked for' } as const;

export async function simulateOutbound(
  host: CallHost,
  request: OutboundRequest & { at?: Date },
  script: OutboundScript,
): Promise<SimulatedOutbound> {
  const placed = await placeCall(host, { ...request, sourcePort: 5060, sourceProtocol: 'UDP', callId: newLegId() });
  if ('challenge' in placed) return { refused: challenged };
  if ('code' in placed) return { refused: placed };
  const { live } = placed;
  const answer = later(live.call.timeStart, script.ring_seconds);
  if (script.ring_seconds > 0) live.ringing();
  if (script.code >= 300) {
    await live.attemptFailed({ code: script.code }, answer);
    return { call: live.call };
  }
  await live.answered(answer);
  const cut = await payFor(live, script.talk_seconds);
  await live.end(cut ?? hangUp, later(answer, script.talk_seconds));
  return { call: live.call };
}
