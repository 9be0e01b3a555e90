/**
 * `/sandbox/v1/messages` and `/sandbox/v1/scenarios`: the messages that would have been sent, and the fixed test
 * numbers.
 */
import { numberToLookUp } from '../verification/destination.ts';
import { waitForInbox } from '../verification/sandbox-inbox.ts';
import { listScenarios } from '../verification/sandbox-scenarios.ts';
import type { Control } from './control.ts';
import { BadControlRequest } from './errors.ts';

const longestWait = 60;

export const messagesControl: Control = (routes, env) => {
  routes.get('/messages', async ({ caller, query, signal }) => {
    const wait = readWait(query.wait);
    const destination = query.destination === undefined ? null : numberToLookUp(query.destination);
    return { body: { messages: await waitForInbox(env, caller.accountId, destination, wait * 1000, signal) } };
  });

  routes.get('/scenarios', async () => ({ body: { scenarios: listScenarios() } }));
};

/** Seconds of real time, cut to the maximum. */
function readWait(text = '0'): number {
  if (typeof text !== 'string' || !/^\d+(\.\d+)?$/.test(text))
    throw new BadControlRequest('wait must be a number of seconds');
  return Math.min(Number(text), longestWait);
}
