/** Turns the rules of a country into the rows of its requirements. */
import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { nameBasedId } from '../ids.ts';
import type { AddressRuleFile, EmergencyRuleFile, RuleBook } from './rule-files.ts';

type EntityType = 'Personal' | 'Business' | 'Address';
type Kind = 'personal' | 'business' | 'address';

/** Returns the id of a proof type; a proof type that the catalogue already has keeps its id. */
export type ProofTypeId = (entityType: EntityType, name: string) => string;

export function proofTypeRows(
  { proofTypes }: RuleBook,
  idOf: ProofTypeId,
): (Insertable<Schema['proof_types']> & { id: string })[] {
  return proofTypes.map((type, position) => ({ id: idOf(type.entity_type, type.name), ...type, position }));
}

export function documentRows({ documents }: RuleBook): Insertable<Schema['supporting_document_templates']>[] {
  return documents.map(({ name, permanent, lines }) => ({
    id: documentId(name),
    name,
    permanent,
    storage_key: storageKey(name),
    form_lines: lines,
  }));
}

/** Returns one row for each number type of a rule. */
export function addressRows(
  rule: AddressRuleFile,
  iso: string,
  countryId: string,
  typeId: (name: string) => string,
  proofTypeId: ProofTypeId,
) {
  return rule.types.map((type) => {
    const id = nameBasedId('address_requirements', iso, type);
    const kinds: [Kind, EntityType, string[]][] = [
      ['personal', 'Personal', rule.personal?.proof_types ?? []],
      ['business', 'Business', rule.business?.proof_types ?? []],
      ['address', 'Address', rule.address.proof_types],
    ];
    return {
      row: {
        id,
        ...placeOf(rule, countryId, typeId(type)),
        address_area_level: rule.address.area,
        personal_proof_qty: rule.personal?.proofs ?? 0,
        business_proof_qty: rule.business?.proofs ?? 0,
        address_proof_qty: rule.address.proofs,
        personal_mandatory_fields: noneIsNull(rule.personal?.fields),
        business_mandatory_fields: noneIsNull(rule.business?.fields),
        service_description_required: rule.service_description,
        restriction_message: rule.restriction,
        personal_permanent_document_id: documentOf(rule.personal?.permanent_document),
        business_permanent_document_id: documentOf(rule.business?.permanent_document),
        personal_onetime_document_id: documentOf(rule.personal?.onetime_document),
        business_onetime_document_id: documentOf(rule.business?.onetime_document),
      } satisfies Insertable<Schema['address_requirements']>,
      proofTypes: kinds.flatMap(([kind, entityType, names]) =>
        names.map((name) => ({ address_requirement_id: id, kind, proof_type_id: proofTypeId(entityType, name) })),
      ),
    };
  });
}

export function emergencyRows(
  rule: EmergencyRuleFile,
  iso: string,
  countryId: string,
  typeId: (name: string) => string,
) {
  return rule.types.map(
    (type): Insertable<Schema['emergency_requirements']> => ({
      id: nameBasedId('emergency_requirements', iso, type),
      ...placeOf(rule, countryId, typeId(type)),
      address_area_level: rule.address.area,
      personal_mandatory_fields: rule.personal?.fields ?? [],
      business_mandatory_fields: rule.business?.fields ?? [],
      address_mandatory_fields: rule.address.fields,
      estimate_setup_time: rule.setup_time,
      requirement_restriction_message: rule.restriction,
      setup_price: rule.monthly_price === null ? null : '0',
      monthly_price: rule.monthly_price,
    }),
  );
}

/** The columns that say for which numbers a rule holds, and how near the person or business has to be. */
const placeOf = (rule: AddressRuleFile | EmergencyRuleFile, countryId: string, typeId: string) => ({
  country_id: countryId,
  did_group_type_id: typeId,
  identity_type: rule.identity,
  personal_area_level: rule.personal?.area ?? null,
  business_area_level: rule.business?.area ?? null,
});

const documentId = (name: string): string => nameBasedId('supporting_document_templates', name);
const documentOf = (name: string | undefined): string | null => (name === undefined ? null : documentId(name));
const noneIsNull = (fields: string[] | undefined): string[] | null => (fields?.length ? fields : null);

/** 28 lower-case letters and digits; the same on every machine. */
function storageKey(name: string): string {
  const digest = createHash('sha256').update(`blank form ${name}`).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(0, 28);
}
