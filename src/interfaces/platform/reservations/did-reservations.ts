/** A short hold on one available number. An expired reservation is invisible, even before a job deletes it. */

import { anyId, contains } from '../../../engines/jsonapi/filters.ts';
import { needsFeature, owned } from '../declare.ts';
import { reservationMembers } from './did-reservations.members.ts';
import { releaseNumber, reservationsLeft, reserveNumber } from './did-reservations.writes.ts';

export const didReservations = owned('did_reservations', {
  group: 'DID reservations',
  noun: 'reservation',
  summary: 'A short hold on one available number.',
  ...reservationMembers,
  filters: { id: anyId('t.id'), description: contains('t.description', { blank: true }) },
  sort: {
    created_at: 't.created_at',
    description: 't.description',
    expire_at: 't.expires_at',
    expires_at: 't.expires_at',
  },
  sortAliases: { expire_at: 'expires_at' },
  tieBreak: 't.created_at, t.id',
  visible: ({ now }, params) => `t.expires_at > ${params.add(now)}`,
  deleteVerb: 'Release',
  collectionMeta: { available_count: reservationsLeft },
  metaDocs: { available_count: 'How many more reservations the account may make.' },
  readMeta: { available_count: reservationsLeft },
  guard: needsFeature('number_selection'),
  create: reserveNumber,
  delete: releaseNumber,
});
