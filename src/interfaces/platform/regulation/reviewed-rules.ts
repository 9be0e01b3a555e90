/** What the requirements behind a submission ask for, in words that a reviewer compares with the documents. */
import { type Kysely, sql } from 'kysely';
import { labelOf } from '../../../business/catalogue/requirements/rule-files.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { AreaLevel, IdentityType } from '../../../engines/db/tables/regulation.ts';
import type { ReviewedType } from './decision.ts';
import type { IdentityRule, Rule } from './evaluate.ts';
import { loadAddressRule, loadEmergencyRule } from './load-rule.ts';

/** One thing that is asked for; `of` is what it is asked of. */
interface RequiredPoint {
  of: 'Identity' | 'Address' | 'Documents' | 'Service';
  text: string;
}

/** Returns the points of every requirement that the numbers of a submission are subject to, each once. */
export async function requiredOf(
  db: Kysely<Schema>,
  type: ReviewedType,
  id: string,
  identityType: IdentityType | null,
): Promise<RequiredPoint[]> {
  const ids = await requirementIds(db, type, id);
  const load = type === 'address_verifications' ? loadAddressRule : loadEmergencyRule;
  const points = new Map<string, RequiredPoint>();
  for (const each of ids) {
    for (const point of pointsOf(await load(db, each), identityType)) points.set(`${point.of} ${point.text}`, point);
  }
  return [...points.values()];
}

async function requirementIds(db: Kysely<Schema>, type: ReviewedType, id: string): Promise<string[]> {
  const { rows } =
    type === 'address_verifications'
      ? await sql<{ id: string }>`
          select distinct q.id from address_verification_dids l
            join dids d on d.id = l.did_id
            join did_groups g on g.id = d.did_group_id
            join address_requirements q on q.country_id = g.country_id and q.did_group_type_id = g.did_group_type_id
          where l.address_verification_id = ${id} order by q.id`.execute(db)
      : await sql<{ id: string }>`
          select s.emergency_requirement_id as id from emergency_verifications v
            join emergency_calling_services s on s.id = v.emergency_calling_service_id
          where v.id = ${id}`.execute(db);
  return rows.map((row) => row.id);
}

const areas: Readonly<Record<Exclude<AreaLevel, 'world_wide'>, (country: string) => string>> = {
  country: (country) => `An address in ${country}`,
  area: (country) => `An address in the area of the numbers, in ${country}`,
  city: (country) => `An address in the city of the numbers, in ${country}`,
};

function pointsOf(rule: Rule, identityType: IdentityType | null): RequiredPoint[] {
  const { address, country } = rule;
  const identity = identityType === null ? null : rule.identities[identityType];
  const service: RequiredPoint = { of: 'Service', text: 'A description of the service' };
  return [
    ...(identityType === null ? [] : identityPoints(identity, identityType, country.name)),
    ...(address.areaLevel === 'world_wide'
      ? []
      : [{ of: 'Address', text: areas[address.areaLevel](country.name) } as const]),
    ...(address.regionNeeded ? [{ of: 'Address', text: 'A state, province or region' } as const] : []),
    ...proofs('Address', address),
    ...[identity?.permanentDocument, identity?.onetimeDocument].flatMap((document) =>
      document ? [{ of: 'Documents', text: document.name } as const] : [],
    ),
    ...(rule.serviceDescriptionRequired ? [service] : []),
  ];
}

function identityPoints(rule: IdentityRule | null, kind: IdentityType, country: string): RequiredPoint[] {
  const of = 'Identity';
  if (rule === null) return [{ of, text: `A ${kind === 'personal' ? 'business' : 'person'}, not a ${kind} identity` }];
  const place = kind === 'personal' ? `Living or born in ${country}` : `Registered in ${country}`;
  return [
    ...(rule.areaLevel === 'country' ? [{ of, text: place } as const] : []),
    ...rule.fields.map((field) => ({ of, text: labelOf(kind, field) }) as const),
    ...proofs(of, rule),
  ];
}

function proofs(of: 'Identity' | 'Address', rule: Pick<IdentityRule, 'proofQty' | 'proofTypes'>): RequiredPoint[] {
  if (rule.proofQty === 0) return [];
  const names = rule.proofTypes.map(({ name }) => name).join(', ');
  return [{ of, text: `${rule.proofQty} proof${rule.proofQty === 1 ? '' : 's'}: ${names}` }];
}
