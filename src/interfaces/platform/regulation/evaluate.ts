/** Compares a submission with a requirement and lists everything that is missing, in the texts of the contract. */
import { labelOf, type MandatoryField } from '../../../business/catalogue/requirements/rule-files.ts';
import type { AreaLevel, IdentityType } from '../../../engines/db/tables/regulation.ts';

export interface Named {
  id: string;
  name: string;
}

export interface IdentityRule {
  areaLevel: 'world_wide' | 'country';
  fields: readonly MandatoryField[];
  proofQty: number;
  proofTypes: readonly Named[];
  permanentDocument: Named | null;
  onetimeDocument: Named | null;
}

/**
 * An address or emergency requirement, loaded for `evaluate`. A kind of identity whose rule is null is not accepted.
 */
export interface Rule {
  country: Named;
  identities: Readonly<Record<IdentityType, IdentityRule | null>>;
  address: { areaLevel: AreaLevel; regionNeeded: boolean; proofQty: number; proofTypes: readonly Named[] };
  serviceDescriptionRequired: boolean;
}

interface Proof {
  proofTypeId: string;
  expiresAt: Date | null;
}

export interface SubmittedIdentity {
  kind: IdentityType;
  countryId: string | null;
  birthCountryId: string | null;
  /** The mandatory fields that have a value. */
  filled: ReadonlySet<MandatoryField>;
  proofs: readonly Proof[];
  /** Template ids of its permanent documents. */
  documents: ReadonlySet<string>;
}

/** A place by its name, and by its city, area and region in the coverage; null where the coverage has none. */
interface Place {
  cityName: string;
  cityId: string | null;
  areaId: string | null;
  regionId: string | null;
}

export interface SubmittedAddress extends Place {
  countryId: string;
  proofs: readonly Proof[];
}

/** The place of a number group; a nationwide group has no city, area or region. */
export interface NumberPlace extends Place {
  /** The name of the area, or else of the region, or else of the city. */
  areaName: string;
}

export interface Submission {
  identity: SubmittedIdentity | null;
  address: SubmittedAddress | null;
  /** The places of the numbers. Empty in a dry run, which therefore checks no city or area. */
  places: readonly NumberPlace[];
  /** What a real submission contains in addition; null in a dry run. */
  papers: { onetimeFiles: number; serviceDescription: string | null } | null;
  now: Date;
}

/** What of a submission has to be changed. */
type Part = 'identity' | 'address' | 'documents' | 'service_description';

export interface Problem {
  part: Part;
  text: string;
}

/** Returns one text for each missing thing: first the identity, then the address, then documents. */
export const evaluate = (rule: Rule, submission: Submission): string[] =>
  findProblems(rule, submission).map(({ text }) => text);

/** The same, each with the part where it is mended. */
export function findProblems(rule: Rule, submission: Submission): Problem[] {
  const { identity, address, papers, now } = submission;
  const required = identity && rule.identities[identity.kind];
  const of = (part: Part, texts: readonly string[]) => texts.map((text): Problem => ({ part, text }));
  return [
    ...of('identity', identity ? identityProblems(rule, identity) : []),
    ...of('documents', required ? missingProofs('Identity', required, identity.proofs, now) : []),
    ...of('address', address ? addressProblems(rule, address, submission) : []),
    ...of('documents', address ? missingProofs('Address', rule.address, address.proofs, now) : []),
    ...of('documents', documentProblems(rule, submission)),
    ...of('documents', papers && papers.onetimeFiles > 0 && !required?.onetimeDocument ? [notNeeded] : []),
    ...of('service_description', papers ? descriptionProblems(rule, papers) : []),
  ];
}

const notNeeded = 'one-time document is not needed';

function identityProblems(rule: Rule, identity: SubmittedIdentity): string[] {
  const required = rule.identities[identity.kind];
  if (!required) return [identity.kind === 'personal' ? 'Business Identity required' : 'Personal Identity required'];
  const kind = identity.kind === 'personal' ? 'Personal' : 'Business';
  return [
    ...areaOfIdentity(rule, required, identity),
    ...required.fields
      .filter((field) => !identity.filled.has(field))
      .map((field) => `${labelOf(identity.kind, field)} is required for ${kind} Identity`),
  ];
}

/** A person may live or be born in the country of the numbers; a company must be registered there. */
function areaOfIdentity(rule: Rule, required: IdentityRule, identity: SubmittedIdentity): string[] {
  if (required.areaLevel === 'world_wide' || identity.countryId === rule.country.id) return [];
  if (identity.kind === 'business') return [`Identity Country must be ${rule.country.name}`];
  return identity.birthCountryId === rule.country.id ? [] : [`Identity Place of Birth must be ${rule.country.name}`];
}

function addressProblems(rule: Rule, address: SubmittedAddress, { places }: Submission): string[] {
  const problems = addressArea(rule, address, places);
  if (rule.address.regionNeeded && address.regionId === null && address.areaId === null) {
    problems.push('State/Province/Region is required for Address');
  }
  return problems;
}

function addressArea(rule: Rule, address: SubmittedAddress, places: readonly NumberPlace[]): string[] {
  const { areaLevel } = rule.address;
  if (areaLevel === 'world_wide') return [];
  if (address.countryId !== rule.country.id) return [`Address in ${rule.country.name} required`];
  if (areaLevel === 'country') return [];
  const unmatched = places.filter((place) => !(areaLevel === 'city' ? sameCity : sameArea)(address, place));
  return [...new Set(unmatched.map((place) => (areaLevel === 'city' ? place.cityName : place.areaName)))].map(
    (name) => `Address in ${name} required`,
  );
}

/**
 * Compares by name too, because the coverage may not have the city of the address. Numbers without a city match any.
 */
function sameCity(address: Place, number: Place): boolean {
  if (number.cityId === null) return true;
  return address.cityId === number.cityId || folded(address.cityName) === folded(number.cityName);
}

function sameArea(address: Place, number: Place): boolean {
  const shared = (one: string | null, other: string | null): boolean => one !== null && one === other;
  return (
    sameCity(address, number) || shared(address.areaId, number.areaId) || shared(address.regionId, number.regionId)
  );
}

const folded = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase();

function missingProofs(
  of: 'Identity' | 'Address',
  required: { proofQty: number; proofTypes: readonly Named[] },
  proofs: readonly Proof[],
  now: Date,
): string[] {
  const listed = new Set(required.proofTypes.map(({ id }) => id));
  const valid = proofs.filter(
    ({ proofTypeId, expiresAt }) => listed.has(proofTypeId) && (expiresAt === null || expiresAt > now),
  );
  if (valid.length >= required.proofQty) return [];
  return [`${required.proofQty} ${of} Proof(s) (${required.proofTypes.map(({ name }) => name).join(', ')}) required`];
}

/** Checks the permanent document of the identity and, in a real submission, the one-time document. */
function documentProblems(rule: Rule, { identity, papers }: Submission): string[] {
  const required = identity ? rule.identities[identity.kind] : null;
  if (!identity || !required) return [];
  const { permanentDocument, onetimeDocument } = required;
  const missing = [
    ...(permanentDocument && !identity.documents.has(permanentDocument.id) ? [permanentDocument.name] : []),
    ...(onetimeDocument && papers?.onetimeFiles === 0 ? [onetimeDocument.name] : []),
  ];
  return missing.length > 0 ? [`Following Supporting Document(s) required (${missing.join(', ')})`] : [];
}

function descriptionProblems(rule: Rule, { serviceDescription }: NonNullable<Submission['papers']>): string[] {
  if (rule.serviceDescriptionRequired === (serviceDescription !== null)) return [];
  return [`service description is ${rule.serviceDescriptionRequired ? 'required' : 'not needed'}`];
}
