/**
 * What address and emergency submissions have in common: loading what was submitted, in the form that `evaluate` takes.
 * A record that was deleted after the request was validated is rejected as if it had never existed.
 */

import { type Kysely, sql } from 'kysely';
import { mandatoryFields } from '../../../business/catalogue/requirements/rule-files.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { NumberPlace, SubmittedAddress, SubmittedIdentity } from './evaluate.ts';

export async function loadIdentity(db: Kysely<Schema>, accountId: string, id: string): Promise<SubmittedIdentity> {
  const row = await db
    .selectFrom('identities')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('hidden_at', 'is', null)
    .executeTakeFirst();
  if (!row) return refuse(invalid.relationship('identity', messages.invalid));
  const proofs = await proofsOf(db, 'identity_id', id);
  const documents = await db
    .selectFrom('permanent_supporting_documents')
    .select('template_id')
    .where('identity_id', '=', id)
    .execute();
  const values: Record<(typeof mandatoryFields)[number], string | null> = {
    ...row,
    country: row.country_id,
    birth_country: row.birth_country_id,
  };
  return {
    kind: row.identity_type,
    countryId: row.country_id,
    birthCountryId: row.birth_country_id,
    filled: new Set(mandatoryFields.filter((field) => (values[field] ?? '') !== '')),
    proofs,
    documents: new Set(documents.map(({ template_id }) => template_id)),
  };
}

interface LoadedAddress extends SubmittedAddress {
  identityId: string;
}

export async function loadAddress(db: Kysely<Schema>, accountId: string, id: string): Promise<LoadedAddress> {
  const row = await db
    .selectFrom('addresses as a')
    .leftJoin('cities as c', 'c.id', 'a.city_id')
    .select([
      'a.identity_id as identityId',
      'a.country_id as countryId',
      'a.city_name as cityName',
      'a.city_id as cityId',
      'a.area_id as areaId',
      'c.region_id as regionId',
    ])
    .where('a.id', '=', id)
    .where('a.account_id', '=', accountId)
    .where('a.hidden_at', 'is', null)
    .executeTakeFirst();
  if (!row) return refuse(invalid.relationship('address', messages.invalid));
  return { ...row, proofs: await proofsOf(db, 'address_id', id) };
}

const proofsOf = (db: Kysely<Schema>, entity: 'identity_id' | 'address_id', id: string) =>
  db
    .selectFrom('proofs')
    .select(['proof_type_id as proofTypeId', 'expires_at as expiresAt'])
    .where(entity, '=', id)
    .execute();

export async function loadPlaces(db: Kysely<Schema>, didGroupIds: readonly string[]): Promise<NumberPlace[]> {
  if (didGroupIds.length === 0) return [];
  return db
    .selectFrom('did_groups as g')
    .leftJoin('cities as c', 'c.id', 'g.city_id')
    .leftJoin('areas as a', 'a.id', 'c.area_id')
    .leftJoin('regions as r', 'r.id', 'g.region_id')
    .select([
      sql<string>`coalesce(c.name, g.area_name)`.as('cityName'),
      'g.city_id as cityId',
      'c.area_id as areaId',
      'g.region_id as regionId',
      sql<string>`coalesce(a.name, r.name, g.area_name)`.as('areaName'),
    ])
    .where('g.id', 'in', [...didGroupIds])
    .orderBy('g.id')
    .execute();
}
