/** A short hold on one available number. An expired reservation is invisible, even before a job deletes it. */
import { dateTime, freeText } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, contains } from '../../../engines/jsonapi/filters.ts';
import { createdAt } from '../common-attributes.ts';
import { needsFeature, owned } from '../declare.ts';
import { releaseNumber, reservationsLeft, reserveNumber } from './did-reservations.writes.ts';

export const didReservations = owned('did_reservations', {
  group: 'DID reservations',
  noun: 'reservation',
  summary: 'A short hold on one available number.',
  attributes: {
    description: freeText({ nullable: true, write: 'create', doc: 'Your own note.' }),
    created_at: createdAt,
    expires_at: dateTime({ doc: 'When the hold ends by itself.' }),
  },
  relationships: {
    available_did: toOne('available_dids', {
      write: 'create',
      required: true,
      checked: false,
      doc: 'The number that is held.',
    }),
  },
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
