import type { NewPath } from '../change.ts';

/** To customers of an older version these paths, and these methods of paths they have, do not exist. */
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
