/**
 * What each older version differs in from the next newer one. A change lies in the file that is named after the version
 * that brought it.
 */
import type { OlderVersion } from '../../../engines/jsonapi/versions/older-registries.ts';
import { renewals } from './2021-04-19.numbers.ts';
import { firstRegulation } from './2021-04-19.regulation.ts';
import { exportsOfCalls } from './2021-12-15.exports.ts';
import { trunksByDirection } from './2021-12-15.trunks.ts';
import { nanpa } from './2022-05-10.nanpa.ts';
import { didGroups } from './2026-04-16.did-groups.ts';
import { orders } from './2026-04-16.orders.ts';
import { regulation } from './2026-04-16.regulation.ts';
import { trunks } from './2026-04-16.trunks.ts';

/** The newest of them first. */
export const history: readonly OlderVersion[] = [
  { version: '2022-05-10', changes: [...didGroups, ...orders, ...trunks, ...regulation] },
  { version: '2021-12-15', changes: nanpa },
  { version: '2021-04-19', changes: [...trunksByDirection, ...exportsOfCalls] },
  { version: '2017-09-18', changes: [...renewals, ...firstRegulation] },
];
