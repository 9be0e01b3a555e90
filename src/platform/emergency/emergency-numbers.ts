/** Checks whether numbers can share an emergency calling service: same type, same place, same owner. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';

export interface EmergencyNumber {
  id: string;
  did_group_id: string;
  country_id: string;
  country_name: string;
  did_group_type_id: string;
  city_id: string | null;
  city_name: string | null;
  area_id: string | null;
  area_name: string;
  features: string[];
  terminated: boolean;
  emergency_calling_service_id: string | null;
  identity_id: string | null;
  identity_type: 'personal' | 'business' | null;
  identity_name: string | null;
}

/** Locks the numbers until the transaction ends. */
export const lockNumbers = (trx: Kysely<Schema>, accountId: string, ids: readonly string[]) =>
  select(trx, sql`d.id = any(${ids}::uuid[]) and d.account_id = ${accountId} and d.activated_at is not null`);

export const numbersOfService = (trx: Kysely<Schema>, serviceId: string) =>
  select(trx, sql`d.emergency_calling_service_id = ${serviceId}`);

/** Rejects numbers that cannot share a service. Returns the first number; its type and place are those of all. */
export function checkNumbers(numbers: readonly EmergencyNumber[]): EmergencyNumber {
  const [first] = numbers;
  if (!first) return refuse(invalid.relationship('dids', messages.invalid));
  const problems = numbers.flatMap((number) => {
    if (!number.features.includes('emergency')) {
      return [invalid.member('dids', number.id, 'does not support Emergency feature')];
    }
    if (number.terminated) return [invalid.member('dids', number.id, messages.invalid)];
    return number.emergency_calling_service_id === null
      ? []
      : [invalid.member('dids', number.id, 'already belongs to an Emergency Calling Service')];
  });
  if (problems.length > 0) refuse(...problems);
  if (numbers.some(({ did_group_type_id }) => did_group_type_id !== first.did_group_type_id)) {
    refuse(invalid.relationship('dids', 'should have the same Did Group Type'));
  }
  if (numbers.some(({ city_id }) => city_id === null)) {
    refuse(invalid.relationship('dids', 'should be linked with City ID'));
  }
  if (!numbers.every((number) => samePlace(number, first))) {
    refuse(invalid.relationship('dids', 'should have the same City or Area'));
  }
  return first;
}

/** A number that is registered to an identity can be used only with that identity. */
export function checkOwner(numbers: readonly EmergencyNumber[], identityId: string): void {
  const others = numbers.filter(({ identity_id }) => identity_id !== null && identity_id !== identityId);
  if (others.length === 0) return;
  refuse(
    ...others.map(({ id, identity_type, identity_name }) => {
      const kind = identity_type === 'business' ? 'Business' : 'Personal';
      return invalid.member('dids', id, `can be used only with Identity ${kind} - ${identity_name}`);
    }),
  );
}

const samePlace = (one: EmergencyNumber, other: EmergencyNumber): boolean =>
  one.country_id === other.country_id &&
  (one.city_id === other.city_id || (one.area_id !== null && one.area_id === other.area_id));

async function select(trx: Kysely<Schema>, where: RawBuilder<unknown>): Promise<EmergencyNumber[]> {
  const { rows } = await sql<EmergencyNumber>`
    select d.id, d.did_group_id, g.country_id, c.name as country_name, g.did_group_type_id, g.city_id,
      t.name as city_name, t.area_id, g.area_name, g.features, d.terminated, d.emergency_calling_service_id,
      d.identity_id, i.identity_type, coalesce(i.company_name, i.first_name || ' ' || i.last_name) as identity_name
    from dids d
      join did_groups g on g.id = d.did_group_id
      join countries c on c.id = g.country_id
      left join cities t on t.id = g.city_id
      left join identities i on i.id = d.identity_id
    where ${where}
    order by d.id for update of d
  `.execute(trx);
  return rows;
}
