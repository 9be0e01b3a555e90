/** Submits emergency verifications, and checks the numbers they are for. */

import { type Kysely, type RawBuilder, sql } from 'kysely';
import { newReference, withFreeReference } from '../../../business/reference.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse, throwAny } from '../../../engines/jsonapi/errors.ts';
import { idsOf } from '../../../engines/jsonapi/linkage.ts';
import type { AnswerNow } from '../../../engines/jsonapi/resource.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callbackColumns } from '../callback-columns.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { lockForSubmission } from '../identities/paperwork-in-use.ts';
import { scheduleAutoDecision } from '../regulation/decision.ts';
import { evaluate } from '../regulation/evaluate.ts';
import { loadEmergencyRule } from '../regulation/load-rule.ts';
import { loadAddress, loadIdentity, loadPlaces } from '../regulation/submission.ts';
import type { emergencyVerificationMembers } from './emergency-verifications.members.ts';
import { findRate } from './rates.ts';

type VerificationInput = CreateInput<typeof emergencyVerificationMembers>;

/** A request with numbers opens a new service; a request with a service submits another address for it. */
export function submitEmergencyVerification(
  context: PlatformContext,
  input: VerificationInput,
  answer: AnswerNow,
): Promise<string> {
  const { dids, emergency_calling_service: service } = input.relationships;
  const callback = callbackColumns(context, input.attributes);
  return withFreeReference(context.db, () =>
    inTransaction(context.db, async (trx) => {
      const serviceId = service
        ? await resubmit(trx, context, input, service.id)
        : await openService(trx, context, input, idsOf(dids ?? []));
      const { id } = await trx
        .insertInto('emergency_verifications')
        .values({
          account_id: callerOf(context).accountId,
          emergency_calling_service_id: serviceId,
          address_id: input.relationships.address.id,
          reference: newReference(),
          ...callback,
          external_reference_id: input.attributes.external_reference_id ?? null,
          created_at: context.now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (dids) {
        const links = idsOf(dids).map((did_id) => ({ emergency_verification_id: id, did_id }));
        await trx.insertInto('emergency_verification_dids').values(links).execute();
      }
      await trx
        .updateTable('dids')
        .set({ emergency_verification_id: id })
        .where('emergency_calling_service_id', '=', serviceId)
        .execute();
      await scheduleAutoDecision(trx, context.env, 'emergency_verifications', id, callerOf(context).accountId);
      // Read in this transaction, so that the response says pending even if an automatic decision follows at once.
      await answer(id, runIn(trx));
      return id;
    }),
  );
}

async function openService(
  trx: Kysely<Schema>,
  context: PlatformContext,
  input: VerificationInput,
  didIds: readonly string[],
): Promise<string> {
  const { accountId } = callerOf(context);
  const numbers = await lockNumbers(trx, accountId, didIds);
  const first = checkNumbers(numbers);
  const requirement = await findRate(trx, accountId, first);
  if (!requirement) return refuse(invalid.base('Emergency Rate not found'));
  await checkSubmission(trx, context, input, requirement.id, numbers);
  const { id } = await trx
    .insertInto('emergency_calling_services')
    .values({
      account_id: accountId,
      name: `${first.city_name ?? first.area_name}, ${first.country_name}`,
      reference: newReference(),
      status: 'in_process',
      country_id: first.country_id,
      did_group_type_id: first.did_group_type_id,
      emergency_requirement_id: requirement.id,
      setup_price: requirement.setup_price,
      monthly_price: requirement.monthly_price,
      created_at: context.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx
    .updateTable('dids')
    .set({ emergency_calling_service_id: id })
    .where('id', 'in', [...didIds])
    .execute();
  return id;
}

/**
 * Contract: only in status new, changes_required or active. An active service keeps its old address during the review.
 */
async function resubmit(
  trx: Kysely<Schema>,
  context: PlatformContext,
  input: VerificationInput,
  serviceId: string,
): Promise<string> {
  const service = await trx
    .selectFrom('emergency_calling_services')
    .select(['id', 'status', 'emergency_requirement_id'])
    .where('id', '=', serviceId)
    .where('account_id', '=', callerOf(context).accountId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (!['new', 'changes_required', 'active'].includes(service.status)) {
    refuse(invalid.base('Emergency Calling Service should be in NEW, CHANGES_REQUIRED or ACTIVE status'));
  }
  const numbers = await numbersOfService(trx, serviceId);
  await checkSubmission(trx, context, input, service.emergency_requirement_id, numbers);
  await trx
    .updateTable('emergency_calling_services')
    .set({ status: service.status === 'active' ? 'pending_update' : 'in_process' })
    .where('id', '=', serviceId)
    .execute();
  return serviceId;
}

/** Checks the same rules as the dry run, and also the places of the numbers. */
async function checkSubmission(
  trx: Kysely<Schema>,
  context: PlatformContext,
  input: VerificationInput,
  requirementId: string,
  numbers: readonly EmergencyNumber[],
): Promise<void> {
  const { accountId } = callerOf(context);
  await lockForSubmission(trx, input.relationships.address.id);
  const address = await loadAddress(trx, accountId, input.relationships.address.id);
  checkOwner(numbers, address.identityId);
  const submission = {
    identity: await loadIdentity(trx, accountId, address.identityId),
    address,
    places: await loadPlaces(trx, [...new Set(numbers.map(({ did_group_id }) => did_group_id))]),
    papers: null,
    now: context.now,
  };
  const rule = await loadEmergencyRule(trx, requirementId);
  throwAny(evaluate(rule, submission).map((text) => invalid.base(text)));
}

interface EmergencyNumber {
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
const lockNumbers = (trx: Kysely<Schema>, accountId: string, ids: readonly string[]) =>
  select(trx, sql`d.id = any(${ids}::uuid[]) and d.account_id = ${accountId} and d.activated_at is not null`);

const numbersOfService = (trx: Kysely<Schema>, serviceId: string) =>
  select(trx, sql`d.emergency_calling_service_id = ${serviceId}`);

/** Rejects numbers that cannot share a service. Returns the first number; its type and place are those of all. */
function checkNumbers(numbers: readonly EmergencyNumber[]): EmergencyNumber {
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
function checkOwner(numbers: readonly EmergencyNumber[], identityId: string): void {
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
