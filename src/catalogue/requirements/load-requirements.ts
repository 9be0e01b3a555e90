/** Puts the shipped requirements into a catalogue: for the countries and number types it has, again and again if need be. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { addressRows, emergencyRows, shippedCountries, shippedDocuments, shippedProofTypes } from './shipped.ts';

export interface LoadedRequirements {
  address: number;
  emergency: number;
}

/** What is there already is brought to the shipped state; requirements an operator made for other pairs stay. */
export async function loadRequirements(db: Kysely<Schema>): Promise<LoadedRequirements> {
  await replace(db, 'proof_types', shippedProofTypes());
  await replace(db, 'supporting_document_templates', shippedDocuments());
  const countries = new Map(
    (await db.selectFrom('countries').select(['iso', 'id']).execute()).map(({ iso, id }) => [iso, id]),
  );
  const types = new Map(
    (await db.selectFrom('did_group_types').select(['name', 'id']).execute()).map(({ name, id }) => [name, id]),
  );
  const typeId = (name: string): string => types.get(name) ?? '';
  const known = <R extends { types: string[] }>(rule: R): R => ({
    ...rule,
    types: rule.types.filter((type) => types.has(type)),
  });
  const address = [];
  const emergency = [];
  for (const rules of shippedCountries()) {
    const countryId = countries.get(rules.country);
    if (countryId === undefined) continue;
    for (const rule of rules.address) address.push(...addressRows(known(rule), rules.country, countryId, typeId));
    for (const rule of rules.emergency) emergency.push(...emergencyRows(known(rule), rules.country, countryId, typeId));
  }
  await replace(
    db,
    'address_requirements',
    address.map(({ row }) => row),
  );
  const proofTypes = address.flatMap((requirement) => requirement.proofTypes);
  const ids = address.map(({ row }) => row.id);
  if (ids.length > 0) {
    await db.deleteFrom('address_requirement_proof_types').where('address_requirement_id', 'in', ids).execute();
  }
  if (proofTypes.length > 0) await db.insertInto('address_requirement_proof_types').values(proofTypes).execute();
  await replace(db, 'emergency_requirements', emergency);
  return { address: address.length, emergency: emergency.length };
}

type RuleTable = 'proof_types' | 'supporting_document_templates' | 'address_requirements' | 'emergency_requirements';

async function replace(db: Kysely<Schema>, table: RuleTable, rows: { id: string }[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first).filter((column) => column !== 'id');
  await db
    .insertInto(table)
    .values(rows as never)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(({ ref }) =>
          Object.fromEntries(columns.map((column) => [column, ref(`excluded.${column}` as never)])),
        ),
    )
    .execute();
}
