/** Judges a submission of paperwork for numbers by their requirements, before it is stored or without storing it. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import { findProblems, type Problem } from './evaluate.ts';
import { loadAddressRule } from './load-rule.ts';
import { byRequirement, type RegistrableNumber } from './registrable-numbers.ts';
import { loadAddress, loadIdentity, loadPlaces } from './submission.ts';

interface Papers {
  accountId: string;
  numbers: readonly RegistrableNumber[];
  /** An address names its identity; a form that is not finished has only one of them, or none. */
  identityId?: string | null;
  addressId: string | null;
  onetimeFiles: number;
  serviceDescription: string | null;
  now: Date;
}

/** Everything that has to be changed for any of the numbers' requirements, each text once. */
export async function checkSubmission(db: Kysely<Schema>, papers: Papers): Promise<Problem[]> {
  const { accountId, numbers, addressId, onetimeFiles, serviceDescription, now } = papers;
  const address = addressId === null ? null : await loadAddress(db, accountId, addressId);
  const identityId = papers.identityId ?? address?.identityId ?? null;
  if (address !== null && address.identityId !== identityId) refuse(invalid.relationship('address', messages.invalid));
  const identity = identityId === null ? null : await loadIdentity(db, accountId, identityId);
  const problems = new Map<string, Problem>();
  for (const { requirement_id, did_group_ids } of byRequirement(numbers)) {
    const rule = await loadAddressRule(db, requirement_id);
    const places = await loadPlaces(db, did_group_ids);
    const submission = { identity, address, places, papers: { onetimeFiles, serviceDescription }, now };
    for (const problem of findProblems(rule, submission)) problems.set(problem.text, problem);
  }
  return [...problems.values()];
}
