/** `trunks` and `trunk_groups` got the names of today, outbound trunks came, and media could be encrypted. */
import { type Change, noType, typeWas } from '../../../engines/jsonapi/versions/change.ts';
import { memberWas, noFilters } from '../../../engines/jsonapi/versions/members.ts';
import { noObjectMembers } from '../../../engines/jsonapi/versions/objects.ts';
import { filterWordsWere, wordsWere } from '../../../engines/jsonapi/versions/words.ts';

const features = { voice_in: 'voice', voice_out: null, sms_in: 'sms', sms_out: null };

export const trunksByDirection: readonly Change[] = [
  typeWas('voice_in_trunks', 'trunks'),
  typeWas('voice_in_trunk_groups', 'trunk_groups'),
  memberWas('voice_in_trunks', 'voice_in_trunk_group', 'trunk_group'),
  memberWas('voice_in_trunk_groups', 'voice_in_trunks', 'trunks'),
  memberWas('dids', 'voice_in_trunk', 'trunk'),
  memberWas('dids', 'voice_in_trunk_group', 'trunk_group'),
  noFilters('dids', 'did_group.features'),
  noObjectMembers(
    'voice_in_trunks',
    'configuration',
    'sip_configurations',
    ...['media_encryption_mode', 'stir_shaken_mode', 'allowed_rtp_ips'],
  ),
  noType('voice_out_trunks'),
  noType('voice_out_trunk_regenerate_credentials'),
  wordsWere('did_groups', 'features', features),
  filterWordsWere('available_dids', 'did_group.features', features),
];
