/** The attributes and relationships of shared capacity groups: what a request may send of one is derived from here. */
import { integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../../engines/jsonapi/declare.ts';
import { createdAt, externalReferenceId } from '../common-attributes.ts';

export const sharedGroupMembers = {
  attributes: {
    name: text({ write: 'both', required: true, doc: 'A name of your choice, used once in the account.' }),
    shared_channels_count: integer({ min: 0, write: 'both', doc: 'Channels of the pool that its numbers share.' }),
    metered_channels_count: integer({
      min: 0,
      max: 1000,
      default: 0,
      write: 'both',
      doc: 'Further calls at a time, charged by the minute.',
    }),
    external_reference_id: externalReferenceId,
    created_at: createdAt,
  },
  relationships: {
    capacity_pool: toOne('capacity_pools', { write: 'both', required: true, doc: 'The pool its channels come from.' }),
    dids: toMany('dids', {
      via: 'shared_capacity_group_id',
      write: 'both',
      unique: true,
      doc: 'The numbers that share them.',
    }),
  },
};
