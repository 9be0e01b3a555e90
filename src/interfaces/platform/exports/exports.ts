/** `exports`: CDRs of a window of time as a compressed CSV file. */

import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { owned } from '../declare.ts';
import { byCreation, ownedCounts } from '../owned-counts.ts';
import { exportMembers } from './exports.members.ts';
import { createExport } from './exports.writes.ts';

export const exports = owned('exports', {
  group: 'Account',
  noun: 'export',
  summary: 'A gzip file of call records, made in the background and kept for a month.',
  ...exportMembers,
  filters: {
    id: anyId('t.id'),
    external_reference_id: anyOf('t.external_reference_id', { single: true }),
  },
  sort: ['created_at', 'external_reference_id', 'status'],
  tieBreak: 't.created_at, t.id',
  counts: ownedCounts('exports', { ranges: byCreation }),
  create: createExport,
  stores: ['update'],
});
