import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';

/** The city of coverage that an address names, and its area; nulls where coverage knows none of that name. */
export async function findCity(
  db: Kysely<Schema>,
  countryId: string,
  name: string,
): Promise<{ city_id: string | null; area_id: string | null }> {
  const city = await db
    .selectFrom('cities')
    .select(['id', 'area_id'])
    .where('country_id', '=', countryId)
    .where(sql<string>`lower(name)`, '=', name.trim().toLowerCase())
    .orderBy('id')
    .executeTakeFirst();
  return { city_id: city?.id ?? null, area_id: city?.area_id ?? null };
}
