/** The requirements that come with Trunkline: one readable file per country, checked and turned into rows here. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Insertable } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { nameBasedId } from '../name-based-id.ts';

type EntityType = 'Personal' | 'Business' | 'Address';
type Kind = 'personal' | 'business' | 'address';

interface IdentityRule {
  area: 'world_wide' | 'country';
  proofs: number;
  proof_types: string[];
  fields: string[];
  permanent_document?: string;
  onetime_document?: string;
}

interface AddressRule {
  types: string[];
  identity: 'any' | 'personal' | 'business';
  personal?: IdentityRule;
  business?: IdentityRule;
  address: { area: 'world_wide' | 'country' | 'area' | 'city'; proofs: number; proof_types: string[] };
  service_description: boolean;
  restriction: string;
}

interface EmergencyRule {
  types: string[];
  identity: 'any' | 'personal' | 'business';
  personal?: { area: 'world_wide' | 'country'; fields: string[] };
  business?: { area: 'world_wide' | 'country'; fields: string[] };
  address: { area: 'country' | 'area' | 'city'; fields: string[] };
  setup_time: string;
  restriction: string | null;
  monthly_price: string;
}

export interface CountryRules {
  /** ISO 3166-1 alpha-2. */
  country: string;
  address: AddressRule[];
  emergency: EmergencyRule[];
}

export function shippedProofTypes(): Insertable<Schema['proof_types']>[] {
  const types = read<{ entity_type: EntityType; name: string; valid_days: number | null }[]>('proof-types.json');
  return types.map((type, position) => ({ id: proofTypeId(type.entity_type, type.name), ...type, position }));
}

export function shippedDocuments(): Insertable<Schema['supporting_document_templates']>[] {
  const documents = read<{ name: string; permanent: boolean; lines: string[] }[]>('documents.json');
  return documents.map(({ name, permanent, lines }) => ({
    id: documentId(name),
    name,
    permanent,
    storage_key: storageKey(name),
    form_lines: lines,
  }));
}

export function shippedCountries(): CountryRules[] {
  const files = readdirSync(new URL('countries/', import.meta.url)).filter((name) => name.endsWith('.json'));
  return files.sort().map((name) => read<CountryRules>(`countries/${name}`));
}

/** One row for each number type a rule speaks of. */
export function addressRows(rule: AddressRule, iso: string, countryId: string, typeId: (name: string) => string) {
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
        country_id: countryId,
        did_group_type_id: typeId(type),
        identity_type: rule.identity,
        personal_area_level: rule.personal?.area ?? null,
        business_area_level: rule.business?.area ?? null,
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

export function emergencyRows(rule: EmergencyRule, iso: string, countryId: string, typeId: (name: string) => string) {
  return rule.types.map(
    (type): Insertable<Schema['emergency_requirements']> => ({
      id: nameBasedId('emergency_requirements', iso, type),
      country_id: countryId,
      did_group_type_id: typeId(type),
      identity_type: rule.identity,
      personal_area_level: rule.personal?.area ?? null,
      business_area_level: rule.business?.area ?? null,
      address_area_level: rule.address.area,
      personal_mandatory_fields: rule.personal?.fields ?? [],
      business_mandatory_fields: rule.business?.fields ?? [],
      address_mandatory_fields: rule.address.fields,
      estimate_setup_time: rule.setup_time,
      requirement_restriction_message: rule.restriction,
      setup_price: '0',
      monthly_price: rule.monthly_price,
    }),
  );
}

const proofTypeId = (entityType: EntityType, name: string): string => nameBasedId('proof_types', entityType, name);
const documentId = (name: string): string => nameBasedId('supporting_document_templates', name);
const documentOf = (name: string | undefined): string | null => (name === undefined ? null : documentId(name));
const noneIsNull = (fields: string[] | undefined): string[] | null => (fields?.length ? fields : null);

/** 28 lower-case letters and digits, the same on every machine. */
function storageKey(name: string): string {
  const digest = createHash('sha256').update(`blank form ${name}`).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(0, 28);
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}
