/** Submits address verifications. */

import { type Kysely, sql } from 'kysely';
import { newReference, withFreeReference } from '../../../business/reference.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import { invalid, throwAny } from '../../../engines/jsonapi/errors.ts';
import { idsOf } from '../../../engines/jsonapi/linkage.ts';
import type { AnswerNow } from '../../../engines/jsonapi/resource.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callbackColumns } from '../callback-columns.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { lockForSubmission } from '../identities/paperwork-in-use.ts';
import { keepFiles } from '../identities/stored-files.ts';
import type { addressVerificationMembers } from './address-verifications.members.ts';
import { checkSubmission } from './check-submission.ts';
import { scheduleAutoDecision } from './decision.ts';
import { loadNumbers, type RegistrableNumber } from './registrable-numbers.ts';

type VerificationInput = CreateInput<typeof addressVerificationMembers>;

/** Checks the submission by the same rules as the dry run and stores it as pending, to be decided by a reviewer. */
export function submitAddressVerification(
  context: PlatformContext,
  input: VerificationInput,
  answer: AnswerNow,
): Promise<string> {
  const { env, now } = context;
  const { accountId } = callerOf(context);
  const { address, onetime_files: files = [] } = input.relationships;
  const { service_description = null, external_reference_id = null } = input.attributes;
  const callback = callbackColumns(context, input.attributes);
  const didIds = idsOf(input.relationships.dids);
  return withFreeReference(context.db, () =>
    inTransaction(context.db, async (trx) => {
      const numbers = await lockNumbers(trx, accountId, didIds);
      await lockForSubmission(trx, address.id);
      const problems = await checkSubmission(trx, {
        ...{ accountId, numbers, addressId: address.id, now },
        ...{ onetimeFiles: files.length, serviceDescription: service_description },
      });
      throwAny(problems.map(({ text }) => invalid.base(text)));
      const { id } = await trx
        .insertInto('address_verifications')
        .values({
          account_id: accountId,
          address_id: address.id,
          reference: newReference(),
          service_description,
          ...callback,
          external_reference_id,
          created_at: now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const links = didIds.map((did_id) => ({ address_verification_id: id, did_id }));
      await trx.insertInto('address_verification_dids').values(links).execute();
      await keepFiles(trx, context, 'onetime_files', files, { address_verification_id: id });
      await linkNumbers(trx, id, didIds);
      await scheduleAutoDecision(trx, env, 'address_verifications', id, accountId);
      // Read in this transaction, so that the response says pending even if an automatic decision follows at once.
      await answer(id, runIn(trx));
      return id;
    }),
  );
}

/** Locks the numbers, so that none leaves the account before the submission is stored. */
async function lockNumbers(
  trx: Kysely<Schema>,
  accountId: string,
  ids: readonly string[],
): Promise<RegistrableNumber[]> {
  const numbers = await loadNumbers(trx, accountId, ids, { lock: true });
  const free = numbers.filter((row) => row.requirement_id === null);
  const reviewed = numbers.filter((row) => row.pending_verification_id !== null);
  throwAny([
    ...free.map(({ id }) => invalid.member('dids', id, 'does not require registration')),
    ...reviewed.map(({ id }) => invalid.member('dids', id, 'has a pending address verification')),
  ]);
  return numbers;
}

/** Links the numbers to the submission, except those that an approved submission covers already. */
async function linkNumbers(trx: Kysely<Schema>, id: string, didIds: readonly string[]): Promise<void> {
  await sql`
    update dids set address_verification_id = ${id}
    where id = any(${didIds}::uuid[]) and not exists (
      select from address_verifications v where v.id = dids.address_verification_id and v.status = 'approved')
  `.execute(trx);
}
