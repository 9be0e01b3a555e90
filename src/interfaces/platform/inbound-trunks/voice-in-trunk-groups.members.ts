/** The attributes and relationships of trunk groups: what a request may send of one is derived from here. */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { toMany } from '../../../engines/jsonapi/declare.ts';
import { capacityLimit, createdAt, externalReferenceId } from '../common-attributes.ts';
import { onOneLine } from '../one-line.ts';

export const mostMembers = 10;

export const trunkGroupMembers = {
  attributes: onOneLine({
    name: text({ write: 'both', required: true, doc: 'Used once among trunks and trunk groups.' }),
    capacity_limit: capacityLimit,
    external_reference_id: externalReferenceId,
    created_at: createdAt,
  }),
  relationships: {
    voice_in_trunks: toMany('voice_in_trunks', {
      doc: 'Its trunks, at most ten.',
      write: 'both',
      max: mostMembers,
      via: 'voice_in_trunk_group_id',
      checked: false,
    }),
  },
};
