/** Who may move the sandbox's clock: one clock is shared by all of its accounts. */
import type { Config } from '../config.ts';
import { FieldError } from '../fields.ts';
import { isReachableByStrangers } from './reach.ts';

/** Accounts are named by id, name or e-mail address. The operator always may, on the command line. */
export type ClockMovers = 'any' | 'operator' | { readonly accounts: readonly string[] };

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
