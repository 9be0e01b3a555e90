import type { ErrorObject } from '../../jsonapi/errors.ts';
import { exports } from './2026-04-16/exports.ts';
import { groups } from './2026-04-16/groups.ts';
import { numbersAndOrders } from './2026-04-16/numbers-and-orders.ts';
import { outboundTrunks } from './2026-04-16/outbound-trunks.ts';
import { regulation } from './2026-04-16/regulation.ts';
import type { Change } from './change.ts';

/** What changed from 2022-05-10 to 2026-04-16. */
export const to20260416: readonly Change[] = [
  ...groups,
  ...numbersAndOrders,
  ...exports,
  ...outboundTrunks,
  ...regulation,
];

/** The error had other words, and did not say how much was missing. */
export function insufficientFunds(problem: ErrorObject): ErrorObject {
  if (problem.title !== 'Insufficient balance') return problem;
  const { meta: _meta, ...rest } = problem;
  return { ...rest, title: 'Insufficient funds', detail: 'Insufficient funds' };
}
