/** The attributes and relationships of reservations: what a request may send of one is derived from here. */
import { dateTime, freeText } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { createdAt } from '../common-attributes.ts';

export const reservationMembers = {
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
};
