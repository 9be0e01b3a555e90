/**
 * Regulation: requirements had other names, some words were capitalised, reject reasons were one text. There was no
 * emergency calling and no history of numbers.
 */
import { text } from '../../../engines/jsonapi/attributes.ts';
import { type Change, noOperation, noType, typeWas } from '../../../engines/jsonapi/versions/change.ts';
import { attributeWas, memberWas, noMembers } from '../../../engines/jsonapi/versions/members.ts';
import { capitalised, wordsWere } from '../../../engines/jsonapi/versions/words.ts';

const areaLevels = { world_wide: 'WorldWide', country: 'Country', area: 'Area', city: 'City' };

const joinedReasons = attributeWas('address_verifications', 'reject_reasons', () => ({
  ...text({ nullable: true, column: 't.reject_reasons', doc: 'Why it was rejected.' }),
  decode: (reasons: readonly string[]) => reasons.join(', '),
}));

export const regulation: readonly Change[] = [
  typeWas('address_requirements', 'requirements'),
  typeWas('address_requirement_validations', 'requirement_validations'),
  memberWas('address_requirement_validations', 'address_requirement', 'requirement'),
  wordsWere('address_requirements', 'identity_type', capitalised('any', 'personal', 'business')),
  wordsWere('address_requirements', 'personal_area_level', areaLevels),
  wordsWere('address_requirements', 'business_area_level', areaLevels),
  wordsWere('address_requirements', 'address_area_level', areaLevels),
  wordsWere('identities', 'identity_type', capitalised('personal', 'business')),
  noMembers('identities', 'contact_email', 'birth_country'),
  wordsWere('address_verifications', 'status', capitalised('pending', 'approved', 'rejected')),
  wordsWere('address_verifications', 'callback_method', { get: 'GET', post: 'POST' }),
  joinedReasons,
  noMembers('address_verifications', 'reject_comment'),
  noOperation('address_verifications', 'update'),
  noOperation('proofs', 'list'),
  noOperation('permanent_supporting_documents', 'list'),
  noType('did_history'),
  noType('emergency_requirements'),
  noType('emergency_requirement_validations'),
  noType('emergency_calling_services'),
  noType('emergency_verifications'),
];
