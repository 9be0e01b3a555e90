import { exports } from './2026-04-16/exports.ts';
import { groups } from './2026-04-16/groups.ts';
import { inboundTrunks } from './2026-04-16/inbound-trunks.ts';
import { numbersAndOrders } from './2026-04-16/numbers-and-orders.ts';
import { outboundTrunks } from './2026-04-16/outbound-trunks.ts';
import { regulation } from './2026-04-16/regulation.ts';
import type { Change } from './change.ts';

/** What changed from 2022-05-10 to 2026-04-16. */
export const to20260416: readonly Change[] = [
  ...groups,
  ...numbersAndOrders,
  ...exports,
  ...inboundTrunks,
  ...outboundTrunks,
  ...regulation,
];
