/** Whether a submission satisfies a requirement: everything that is missing, in the contract's words. Pure. */

import { labelOf, type MandatoryField } from '../../catalogue/requirements/fields.ts';
import type { AreaLevel, IdentityType } from '../../db/tables/regulation.ts';

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

/** An address or emergency requirement, ready to be applied. A kind of identity without a rule is not accepted. */
export interface Rule {
  country: Named;
  identities: Readonly<Record<IdentityType, IdentityRule | null>>;
  address: { areaLevel: AreaLevel; regionNeeded: boolean; proofQty: number; proofTypes: readonly Named[] };
  serviceDescriptionRequired: boolean;
}

export interface Proof {
  proofTypeId: string;
  expiresAt: Date | null;
}

export interface SubmittedIdentity {
  kind: IdentityType;
  countryId: string | null;
  birthCountryId: string | null;
  /** The fields that are filled in. */
  filled: ReadonlySet<MandatoryField>;
  proofs: readonly Proof[];
  /** Templates of the permanent documents it has. */
  documents: ReadonlySet<string>;
}

/** Where something is, as far as coverage knows. */
export interface Place {
  cityName: string;
  cityId: string | null;
  areaId: string | null;
  regionId: string | null;
}

export interface SubmittedAddress extends Place {
  countryId: string;
  proofs: readonly Proof[];
}

/** Where the numbers of a group belong; a nationwide group belongs to no place. */
export interface NumberPlace extends Place {
  /** How the area is called: its own name, or the region's, or the city's. */
  areaName: string;
}

export interface Submission {
  identity: SubmittedIdentity | null;
  address: SubmittedAddress | null;
  /** Where the numbers are; none in a dry run, which then judges no area. */
  places: readonly NumberPlace[];
  /** What only a real submission carries; null in a dry run. */
  papers: { onetimeFiles: number; serviceDescription: string | null } | null;
  now: Date;
}

/** Every missing thing, in the order in which a person would gather them. */
export function evaluate(rule: Rule, submission: Submission): string[] {
  const { identity, address, papers } = submission;
  return [
    ...(identity ? identityProblems(rule, identity, submission.now) : []),
    ...(address ? addressProblems(rule, address, submission) : []),
    ...documentProblems(rule, submission),
    ...(papers ? paperProblems(rule, identity, papers) : []),
  ];
}

function identityProblems(rule: Rule, identity: SubmittedIdentity, now: Date): string[] {
  const wanted = rule.identities[identity.kind];
  if (!wanted) return [identity.kind === 'personal' ? 'Business Identity required' : 'Personal Identity required'];
  const kind = identity.kind === 'personal' ? 'Personal' : 'Business';
  return [
    ...areaOfIdentity(rule, wanted, identity),
    ...wanted.fields
      .filter((field) => !identity.filled.has(field))
      .map((field) => `${labelOf(identity.kind, field)} is required for ${kind} Identity`),
    ...missingProofs('Identity', wanted, identity.proofs, now),
  ];
}

/** A person counts as belonging to the country of birth as well as to that of residence; a company to its own only. */
function areaOfIdentity(rule: Rule, wanted: IdentityRule, identity: SubmittedIdentity): string[] {
  if (wanted.areaLevel === 'world_wide' || identity.countryId === rule.country.id) return [];
  if (identity.kind === 'business') return [`Identity Country must be ${rule.country.name}`];
  return identity.birthCountryId === rule.country.id ? [] : [`Identity Place of Birth must be ${rule.country.name}`];
}

function addressProblems(rule: Rule, address: SubmittedAddress, { places, now }: Submission): string[] {
  const problems = addressArea(rule, address, places);
  if (rule.address.regionNeeded && address.regionId === null && address.areaId === null) {
    problems.push('State/Province/Region is required for Address');
  }
  return [...problems, ...missingProofs('Address', rule.address, address.proofs, now)];
}

function addressArea(rule: Rule, address: SubmittedAddress, places: readonly NumberPlace[]): string[] {
  const { areaLevel } = rule.address;
  if (areaLevel === 'world_wide') return [];
  if (address.countryId !== rule.country.id) return [`Address in ${rule.country.name} required`];
  if (areaLevel === 'country') return [];
  const missed = places.filter((place) => !(areaLevel === 'city' ? sameCity : sameArea)(address, place));
  return [...new Set(missed.map((place) => (areaLevel === 'city' ? place.cityName : place.areaName)))].map(
    (name) => `Address in ${name} required`,
  );
}

/** Cities that coverage does not know are compared by name. Numbers without a city ask for none. */
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
  wanted: { proofQty: number; proofTypes: readonly Named[] },
  proofs: readonly Proof[],
  now: Date,
): string[] {
  const listed = new Set(wanted.proofTypes.map(({ id }) => id));
  const counting = proofs.filter(
    ({ proofTypeId, expiresAt }) => listed.has(proofTypeId) && (expiresAt === null || expiresAt > now),
  );
  if (counting.length >= wanted.proofQty) return [];
  return [`${wanted.proofQty} ${of} Proof(s) (${wanted.proofTypes.map(({ name }) => name).join(', ')}) required`];
}

/** Permanent documents of the identity, and for a real submission the one-time one that has to come with it. */
function documentProblems(rule: Rule, { identity, papers }: Submission): string[] {
  const wanted = identity ? rule.identities[identity.kind] : null;
  if (!identity || !wanted) return [];
  const { permanentDocument, onetimeDocument } = wanted;
  const missing = [
    ...(permanentDocument && !identity.documents.has(permanentDocument.id) ? [permanentDocument.name] : []),
    ...(onetimeDocument && papers?.onetimeFiles === 0 ? [onetimeDocument.name] : []),
  ];
  return missing.length > 0 ? [`Following Supporting Document(s) required (${missing.join(', ')})`] : [];
}

function paperProblems(rule: Rule, identity: SubmittedIdentity | null, papers: NonNullable<Submission['papers']>) {
  const wanted = identity ? rule.identities[identity.kind] : null;
  const problems: string[] = [];
  if (papers.onetimeFiles > 0 && !wanted?.onetimeDocument) problems.push('one-time document is not needed');
  if (rule.serviceDescriptionRequired && papers.serviceDescription === null) {
    problems.push('service description is required');
  }
  if (!rule.serviceDescriptionRequired && papers.serviceDescription !== null) {
    problems.push('service description is not needed');
  }
  return problems;
}
