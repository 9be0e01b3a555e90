/** What a reviewer reads: the queue of pending submissions, and one submission with all that belongs to it. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';
import type { ReviewedType } from './decision.ts';

interface QueueEntry {
  type: ReviewedType;
  id: string;
  reference: string;
  account: string;
  identity: string;
  city: string;
  country: string;
  numbers: number;
  created_at: Date;
}

const mostListed = 100;

/** Returns pending submissions of both kinds, oldest first. */
export async function reviewQueue(env: Environment): Promise<QueueEntry[]> {
  const { rows } = await sql<QueueEntry>`
    select q.type, q.id, q.reference, q.created_at, q.numbers, c.name as account,
      coalesce(i.company_name, i.first_name || ' ' || i.last_name, '') as identity,
      coalesce(a.city_name, '') as city, coalesce(l.name, '') as country
    from (
      select 'address_verifications' as type, v.id, v.reference, v.created_at, v.account_id, v.address_id,
        (select count(*)::int from address_verification_dids d where d.address_verification_id = v.id) as numbers
      from address_verifications v where v.status = 'pending'
      union all
      select 'emergency_verifications', v.id, v.reference, v.created_at, v.account_id, v.address_id,
        (select count(*)::int from dids d where d.emergency_calling_service_id = v.emergency_calling_service_id)
      from emergency_verifications v where v.status = 'pending'
    ) q
      join accounts c on c.id = q.account_id
      left join addresses a on a.id = q.address_id
      left join identities i on i.id = a.identity_id
      left join countries l on l.id = a.country_id
    order by q.created_at, q.id limit ${mostListed}
  `.execute(env.db);
  return rows;
}

interface SubmissionView {
  type: ReviewedType;
  id: string;
  reference: string;
  status: string;
  account_id: string;
  created_at: Date;
  service_description: string | null;
  identity: Record<string, unknown> | null;
  address: Record<string, unknown> | null;
  numbers: string[];
  /** `openFile` takes the id. */
  files: { id: string; of: string; size: number }[];
}

/** Returns a submission by its id or reference, or null. */
export async function showSubmission(env: Environment, idOrReference: string): Promise<SubmissionView | null> {
  const { db } = env;
  const found = await findSubmission(db, idOrReference);
  if (!found) return null;
  const { address_id: addressId, ...shown } = found;
  const address = addressId ? await addressOf(db, addressId) : undefined;
  const identity = address ? await identityOf(db, address.identity_id) : undefined;
  return {
    ...shown,
    address: address ? { ...address } : null,
    identity: identity ? { ...identity } : null,
    numbers: await numbersOf(db, found.type, found.id),
    files: await filesOf(db, found.id, address),
  };
}

/** Shows countries by name, because the reviewer compares them with the documents. */
const addressOf = (db: Kysely<Schema>, id: string) =>
  db
    .selectFrom('addresses as a')
    .innerJoin('countries as c', 'c.id', 'a.country_id')
    .select(['a.id', 'a.identity_id', 'a.address', 'a.postal_code', 'a.city_name', 'c.name as country'])
    .select(['a.description', 'a.external_reference_id', 'a.created_at'])
    .where('a.id', '=', id)
    .executeTakeFirst();

const identityOf = (db: Kysely<Schema>, id: string) =>
  db
    .selectFrom('identities as i')
    .leftJoin('countries as c', 'c.id', 'i.country_id')
    .leftJoin('countries as b', 'b.id', 'i.birth_country_id')
    .select(['i.id', 'i.identity_type', 'i.first_name', 'i.last_name', 'i.phone_number', 'i.contact_email'])
    .select(['i.company_name', 'i.company_reg_number', 'i.vat_id', 'i.id_number', 'i.personal_tax_id', 'i.birth_date'])
    .select(['c.name as country', 'b.name as birth_country'])
    .select(['i.description', 'i.external_reference_id', 'i.created_at'])
    .where('i.id', '=', id)
    .executeTakeFirst();

async function findSubmission(db: Kysely<Schema>, idOrReference: string) {
  const { rows } = await sql<
    Omit<SubmissionView, 'identity' | 'address' | 'numbers' | 'files'> & { address_id: string | null }
  >`
    select * from (
      select 'address_verifications' as type, id, reference, status, account_id, created_at, service_description, address_id
      from address_verifications
      union all
      select 'emergency_verifications', id, reference, status, account_id, created_at, null, address_id
      from emergency_verifications
    ) v where v.id::text = ${idOrReference.toLowerCase()} or v.reference = ${idOrReference.toUpperCase()}
  `.execute(db);
  return rows[0] ?? null;
}

async function numbersOf(db: Kysely<Schema>, type: ReviewedType, id: string): Promise<string[]> {
  const { rows } = await sql<{ number: string }>`
    select d.number from dids d
    where d.id in (
      select l.did_id from address_verification_dids l where l.address_verification_id = ${id}
      union all select l.did_id from emergency_verification_dids l where l.emergency_verification_id = ${id}
    ) or (${type} = 'emergency_verifications' and d.emergency_calling_service_id = (
      select v.emergency_calling_service_id from emergency_verifications v where v.id = ${id}))
    order by d.number
  `.execute(db);
  return rows.map(({ number }) => number);
}

async function filesOf(db: Kysely<Schema>, id: string, address: { id: string; identity_id: string } | undefined) {
  const { rows } = await sql<{ id: string; of: string; size: number }>`
    select k.id, s.size,
      case when k.proof_id is not null then t.entity_type || ' proof: ' || t.name
           when k.document_id is not null then 'Document: ' || m.name
           else 'One-time document' end as of
    from kept_files k
      join stored_files s on s.id = k.stored_file_id
      left join proofs p on p.id = k.proof_id
      left join proof_types t on t.id = p.proof_type_id
      left join permanent_supporting_documents d on d.id = k.document_id
      left join supporting_document_templates m on m.id = d.template_id
    where k.address_verification_id = ${id} or p.identity_id = ${address?.identity_id ?? null}
      or p.address_id = ${address?.id ?? null} or d.identity_id = ${address?.identity_id ?? null}
    order by of, k.position, k.id
  `.execute(db);
  return rows;
}
