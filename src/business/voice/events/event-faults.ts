/** Faults of call events that a test in the sandbox has asked for: lost, doubled, late, out of order. */
import type { Environment } from '../../../engines/environment.ts';
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

/** How long the first events of a call are held back, so that all of the call's events are there to be turned round. */
const holdSeconds = 5;

/**
 * The due events of one call as they are sent, or until when they are held back: the first ones are usually due before
 * the others exist.
 */
export async function inSendingOrder(
  env: Environment,
  { accountId }: Lane,
  events: readonly DueEvent[],
): Promise<readonly DueEvent[] | { heldUntil: Date }> {
  const name = ['event.out_of_order'] as const;
  if (env.faults === undefined) return events;
  const isFresh = events.every(({ attempts }) => attempts === 0);
  if (isFresh) {
    if (!(await env.faults.mayHappen(name, accountId))) return events;
    return { heldUntil: new Date(env.clock.now().getTime() + holdSeconds * 1000) };
  }
  if (events.length === 1 || (await env.faults.take(name, accountId)) === null) return events;
  return events.toReversed();
}
