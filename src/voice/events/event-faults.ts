/** Faults of call events that a test in the sandbox has asked for: lost, doubled, late, out of order. */
import type { Environment } from '../../environment.ts';
import type { DueEvent, Lane, Outcome } from './queue.ts';

type Sent = Omit<Outcome, 'event'>;

const eventFaults = ['event.lost', 'event.doubled', 'event.late'] as const;
const lateSeconds = 3600;

/** Sends what is due, unless a fault says otherwise. An event that failed before is left alone. */
export async function sendWithFaults(
  env: Environment,
  { accountId }: Lane,
  events: readonly DueEvent[],
  send: () => Promise<Sent>,
): Promise<Sent> {
  const isFirst = events.every(({ attempts }) => attempts === 0);
  const fault = isFirst ? await env.faults?.take(eventFaults, accountId) : null;
  switch (fault?.name) {
    case 'event.lost':
      return { delivered: false, status: null, error: 'lost by a fault', hopeless: true };
    case 'event.late': {
      const retryAt = new Date(env.clock.now().getTime() + (fault.seconds ?? lateSeconds) * 1000);
      return { delivered: false, status: null, error: 'held back by a fault', retryAt };
    }
    case 'event.doubled':
      await send();
      return send();
    default:
      return send();
  }
}

/** The due events of one call. */
export async function inSendingOrder(
  env: Environment,
  { accountId }: Lane,
  events: readonly DueEvent[],
): Promise<readonly DueEvent[]> {
  if (env.faults === undefined || events.length < 2) return events;
  const fault = await env.faults.take(['event.out_of_order'], accountId);
  return fault === null ? events : events.toReversed();
}
