/** `trunk_sound` and `outbound_trunk_sound` of `/panel/v1`: how the calls of a trunk sounded in the last 24 hours. */
import { text } from '../../engines/jsonapi/attributes.ts';
import { anyId } from '../../engines/jsonapi/filters.ts';
import { trunkSound } from '../platform/call-sound.ts';
import { owned } from './context.ts';

const shared = {
  group: 'Panel',
  filters: { id: anyId('t.id') },
  sort: ['name'],
  defaultSort: 'name',
};
const name = text({ doc: 'The name of the trunk.' });

export const inboundTrunkSound = owned('trunk_sound', {
  ...shared,
  noun: ['trunk sound', 'trunk sound'],
  summary: 'How the calls of an inbound trunk sounded. Its id is that of the trunk.',
  table: 'voice_in_trunks',
  attributes: { name, ...trunkSound('cdrs_in', 'voice_in_trunk_id') },
});

export const outboundTrunkSound = owned('outbound_trunk_sound', {
  ...shared,
  noun: ['outbound trunk sound', 'outbound trunk sound'],
  summary: 'How the calls of an outbound trunk sounded. Its id is that of the trunk.',
  table: 'voice_out_trunks',
  attributes: { name, ...trunkSound('cdrs_out', 'voice_out_trunk_id') },
});
