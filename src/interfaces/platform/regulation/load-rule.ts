/** Loads requirements from the database in the form that `evaluate` takes. */
import type { Kysely } from 'kysely';
import { fieldLabelled, type MandatoryField } from '../../../business/catalogue/requirements/rule-files.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { IdentityType } from '../../../engines/db/tables/regulation.ts';
import type { IdentityRule, Named, Rule } from './evaluate.ts';

type Kind = 'personal' | 'business' | 'address';

export async function loadAddressRule(db: Kysely<Schema>, requirementId: string): Promise<Rule> {
  const row = await db
    .selectFrom('address_requirements as r')
    .innerJoin('countries as c', 'c.id', 'r.country_id')
    .selectAll('r')
    .select(['c.name as country_name'])
    .where('r.id', '=', requirementId)
    .executeTakeFirstOrThrow();
  const proofTypes = await db
    .selectFrom('address_requirement_proof_types as l')
    .innerJoin('proof_types as p', 'p.id', 'l.proof_type_id')
    .select(['l.kind', 'p.id', 'p.name'])
    .where('l.address_requirement_id', '=', requirementId)
    .orderBy('p.position')
    .execute();
  const documents = await db.selectFrom('supporting_document_templates').select(['id', 'name']).execute();
  const document = (id: string | null): Named | null => documents.find((each) => each.id === id) ?? null;
  const typesOf = (kind: Kind): Named[] => proofTypes.filter((each) => each.kind === kind);
  return {
    ...commonRules(row, (kind) => ({
      fields: (row[`${kind}_mandatory_fields`] ?? []) as MandatoryField[],
      proofQty: row[`${kind}_proof_qty`],
      proofTypes: typesOf(kind),
      permanentDocument: document(row[`${kind}_permanent_document_id`]),
      onetimeDocument: document(row[`${kind}_onetime_document_id`]),
    })),
    address: {
      areaLevel: row.address_area_level,
      regionNeeded: false,
      proofQty: row.address_proof_qty,
      proofTypes: typesOf('address'),
    },
    serviceDescriptionRequired: row.service_description_required,
  };
}

/** Emergency requirements have mandatory fields and area levels, but no proofs or documents. */
export async function loadEmergencyRule(db: Kysely<Schema>, requirementId: string): Promise<Rule> {
  const row = await db
    .selectFrom('emergency_requirements as r')
    .innerJoin('countries as c', 'c.id', 'r.country_id')
    .selectAll('r')
    .select(['c.name as country_name'])
    .where('r.id', '=', requirementId)
    .executeTakeFirstOrThrow();
  const noDocuments = { proofQty: 0, proofTypes: [], permanentDocument: null, onetimeDocument: null };
  return {
    ...commonRules(row, (kind) => ({
      ...noDocuments,
      fields: row[`${kind}_mandatory_fields`].flatMap((label) => fieldLabelled(kind, label) ?? []),
    })),
    address: {
      areaLevel: row.address_area_level,
      regionNeeded: row.address_mandatory_fields.includes('State/Province/Region'),
      proofQty: 0,
      proofTypes: [],
    },
    serviceDescriptionRequired: false,
  };
}

interface RequirementRow {
  country_id: string;
  country_name: string;
  identity_type: string;
  personal_area_level: IdentityRule['areaLevel'] | null;
  business_area_level: IdentityRule['areaLevel'] | null;
}

/** What both kinds of requirement say about the country and about who is accepted. */
function commonRules(row: RequirementRow, rest: (kind: IdentityType) => Omit<IdentityRule, 'areaLevel'>) {
  const identity = (kind: IdentityType): IdentityRule | null => {
    const areaLevel = row[`${kind}_area_level`];
    const isAccepted = row.identity_type === 'any' || row.identity_type === kind;
    return areaLevel === null || !isAccepted ? null : { areaLevel, ...rest(kind) };
  };
  return {
    country: { id: row.country_id, name: row.country_name },
    identities: { personal: identity('personal'), business: identity('business') },
  };
}
