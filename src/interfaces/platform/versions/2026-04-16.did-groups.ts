/**
 * Number groups: `sms_out` stood for `p2p` and `a2p`, two features were not there, and `address_requirement` was called
 * `requirement`.
 */
import type { Change } from '../../../engines/jsonapi/versions/change.ts';
import { memberWas, noMembers } from '../../../engines/jsonapi/versions/members.ts';
import { filterWordsWere, wordsWere } from '../../../engines/jsonapi/versions/words.ts';

const features = { p2p: 'sms_out', a2p: 'sms_out', emergency: null, cnam_out: null };

export const didGroups: readonly Change[] = [
  wordsWere('did_groups', 'features', features),
  filterWordsWere('available_dids', 'did_group.features', features),
  filterWordsWere('dids', 'did_group.features', features),
  memberWas('did_groups', 'address_requirement', 'requirement'),
  noMembers('did_groups', 'service_restrictions'),
];
