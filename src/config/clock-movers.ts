/** Who may move the sandbox's clock: one clock is shared by all of its accounts. */

import { FieldError } from '../fields.ts';
import { isReachableByStrangers } from './reach.ts';
import type { ClockMovers, Config } from './types.ts';

export function parseClockMovers(text: string): ClockMovers {
  if (text === 'any' || text === 'operator') return text;
  const accounts = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (accounts.length === 0) throw new FieldError('must be "any", "operator" or a list of accounts');
  return { accounts };
}

/** Unless the operator has said otherwise, strangers cannot move the time under everybody else's feet. */
export function clockMovers(config: Config): ClockMovers {
  return config.sandboxClock ?? (isReachableByStrangers(config, 'sandbox') ? 'operator' : 'any');
}
