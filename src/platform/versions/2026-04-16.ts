/** Everything that changed from version 2022-05-10 to version 2026-04-16. */
import { didGroups } from './2026-04-16.did-groups.ts';
import { orders } from './2026-04-16.orders.ts';
import { regulation } from './2026-04-16.regulation.ts';
import { trunks } from './2026-04-16.trunks.ts';
import { type Change, capitalised, type NewPath, otherWords, unshown } from './change.ts';

/** Export statuses were capitalised, and the response did not repeat the filters of an export. */
const exports: readonly Change[] = [
  otherWords('exports', 'status', capitalised(['pending', 'processing', 'completed'])),
  unshown('exports', { attributes: ['filters'] }),
];

export const to20260416: readonly Change[] = [...didGroups, ...orders, ...exports, ...trunks, ...regulation];

/** Paths, or methods of existing paths, that older versions do not have: they respond with 404 there. */
export const newPaths: readonly NewPath[] = [
  { type: 'did_history' },
  { type: 'emergency_requirements' },
  { type: 'emergency_requirement_validations' },
  { type: 'emergency_calling_services' },
  { type: 'emergency_verifications' },
  { type: 'orders', methods: ['PATCH', 'PUT'] },
  { type: 'exports', methods: ['PATCH', 'PUT'] },
  { type: 'address_verifications', methods: ['PATCH', 'PUT'] },
];
