/** Loads requirements into a catalogue, for its countries and number types; can be repeated. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { proofTypeIdOf } from '../ids.ts';
import { type RuleBook, shippedRules } from './rule-files.ts';
import { addressRows, documentRows, emergencyRows, type ProofTypeId, proofTypeRows } from './rule-rows.ts';

interface LoadedRequirements {
  address: number;
  emergency: number;
}

/** Updates existing requirements from the rules; requirements of other countries and types do not change. */
export async function loadRequirements(
  db: Kysely<Schema>,
  rules: RuleBook = shippedRules(),
): Promise<LoadedRequirements> {
  const proofTypeId = await proofTypeIds(db);
  await replace(db, 'proof_types', proofTypeRows(rules, proofTypeId));
  await replace(db, 'supporting_document_templates', documentRows(rules));
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
  for (const { country, ...asked } of rules.countries) {
    const countryId = countries.get(country);
    if (countryId === undefined) continue;
    for (const rule of asked.address)
      address.push(...addressRows(known(rule), country, countryId, typeId, proofTypeId));
    for (const rule of asked.emergency) emergency.push(...emergencyRows(known(rule), country, countryId, typeId));
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

async function proofTypeIds(db: Kysely<Schema>): Promise<ProofTypeId> {
  const stored = await db.selectFrom('proof_types').select(['id', 'entity_type', 'name']).execute();
  const ids = new Map(stored.map(({ id, entity_type, name }) => [`${entity_type} / ${name}`, id]));
  return (entityType, name) => ids.get(`${entityType} / ${name}`) ?? proofTypeIdOf(entityType, name);
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
