/** `trunk_health` of `/panel/v1`: whether the account's inbound trunks answer. */
import { text } from '../../engines/jsonapi/attributes.ts';
import { anyId, anyOf } from '../../engines/jsonapi/filters.ts';
import { peerHealth } from '../platform/peer-health.ts';
import { owned } from './context.ts';

export const trunkHealth = owned('trunk_health', {
  group: 'Panel',
  noun: ['trunk health', 'trunk health'],
  summary: 'Whether an inbound SIP trunk answers. Its id is that of the trunk.',
  table: 'voice_in_trunks',
  visible: () => "t.configuration_type = 'sip_configurations'",
  attributes: { name: text({ doc: 'The name of the trunk.' }), ...peerHealth('trunk_id') },
  filters: { id: anyId('t.id'), name: anyOf('t.name') },
  sort: ['name'],
  defaultSort: 'name',
});
