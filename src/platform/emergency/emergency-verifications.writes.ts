/** Submits emergency verifications. */

import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { inTransaction, runIn } from '../../db/transaction.ts';
import { invalid, refuse, throwAny } from '../../jsonapi/errors.ts';
import { idsOf, type Linkage } from '../../jsonapi/linkage.ts';
import type { AnswerNow, WriteInput } from '../../jsonapi/resource.ts';
import { newReference, withFreeReference } from '../../reference.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { lockForSubmission } from '../identities/paperwork-in-use.ts';
import { scheduleAutoDecision } from '../regulation/auto-decision.ts';
import { evaluate } from '../regulation/evaluate.ts';
import { loadEmergencyRule } from '../regulation/load-rule.ts';
import { loadAddress, loadIdentity, loadPlaces } from '../regulation/load-submission.ts';
import { type CallbackAttributes, callbackColumns } from '../regulation/submission.ts';
import { checkNumbers, checkOwner, type EmergencyNumber, lockNumbers, numbersOfService } from './emergency-numbers.ts';
import { findRate } from './rates.ts';

type VerificationInput = WriteInput<
  CallbackAttributes & { external_reference_id?: string | null },
  { address: Linkage; dids?: Linkage[]; emergency_calling_service?: Linkage }
>;

/** A request with numbers opens a new service; a request with a service submits another address for it. */
export function submitEmergencyVerification(
  context: PlatformContext,
  input: VerificationInput,
  answer: AnswerNow,
): Promise<string> {
  const { dids, emergency_calling_service: service } = input.relationships;
  const callback = callbackColumns(context, input.attributes);
  return withFreeReference(() =>
    inTransaction(context.env.db, async (trx) => {
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

/** Contract: only in status new, changes_required or active. An active service keeps its old address during the review. */
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
