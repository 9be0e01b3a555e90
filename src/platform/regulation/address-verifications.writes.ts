/** Submits address verifications. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { inTransaction, runIn } from '../../db/transaction.ts';
import { invalid, throwAny } from '../../jsonapi/errors.ts';
import { idsOf, type Linkage } from '../../jsonapi/linkage.ts';
import type { AnswerNow, WriteInput } from '../../jsonapi/resource.ts';
import { newReference, withFreeReference } from '../../reference.ts';
import { type CallbackInput, callbackColumns } from '../callback-columns.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { lockForSubmission } from '../identities/paperwork-in-use.ts';
import { keepFiles } from '../identities/stored-files.ts';
import { scheduleAutoDecision } from './decision.ts';
import { evaluate } from './evaluate.ts';
import { loadAddressRule } from './load-rule.ts';
import { loadAddress, loadIdentity, loadPlaces } from './submission.ts';

type VerificationInput = WriteInput<
  CallbackInput & { service_description?: string | null; external_reference_id?: string | null },
  { address: Linkage; dids: Linkage[]; onetime_files?: Linkage[] }
>;

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
  return withFreeReference(() =>
    inTransaction(env.db, async (trx) => {
      const numbers = await lockNumbers(trx, accountId, didIds);
      await lockForSubmission(trx, address.id);
      const papers = { onetimeFiles: files.length, serviceDescription: service_description };
      const texts = await missingTexts(trx, context, address.id, numbers, papers);
      throwAny(texts.map((text) => invalid.base(text)));
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

/** Number groups that are subject to the same requirement. */
interface NumbersByRequirement {
  requirement_id: string;
  did_group_ids: string[];
}

interface LockedNumber {
  id: string;
  did_group_id: string;
  requirement_id: string | null;
  under_review: boolean;
}

/** Locks the numbers, so that none leaves the account before the submission is stored, and groups them by requirement. */
async function lockNumbers(
  trx: Kysely<Schema>,
  accountId: string,
  ids: readonly string[],
): Promise<NumbersByRequirement[]> {
  const { rows } = await sql<LockedNumber>`
    select d.id, d.did_group_id, q.id as requirement_id, exists (
        select from address_verification_dids l join address_verifications v on v.id = l.address_verification_id
        where l.did_id = d.id and v.status = 'pending') as under_review
    from dids d
      join did_groups g on g.id = d.did_group_id
      left join address_requirements q
        on q.country_id = g.country_id and q.did_group_type_id = g.did_group_type_id and g.needs_registration
    where d.id = any(${ids}::uuid[]) and d.account_id = ${accountId} and d.activated_at is not null
    order by d.id for update of d
  `.execute(trx);
  const free = rows.filter((row) => row.requirement_id === null);
  const reviewed = rows.filter((row) => row.under_review);
  throwAny([
    ...free.map(({ id }) => invalid.member('dids', id, 'does not require registration')),
    ...reviewed.map(({ id }) => invalid.member('dids', id, 'has a pending address verification')),
  ]);
  const groups = new Map<string, Set<string>>();
  for (const { requirement_id, did_group_id } of rows) {
    const known = groups.get(requirement_id ?? '') ?? new Set();
    groups.set(requirement_id ?? '', known.add(did_group_id));
  }
  return [...groups].map(([requirement_id, ids]) => ({ requirement_id, did_group_ids: [...ids] }));
}

/** Returns what is missing for any of the requirements, each text once. */
async function missingTexts(
  trx: Kysely<Schema>,
  context: PlatformContext,
  addressId: string,
  numbers: readonly NumbersByRequirement[],
  papers: { onetimeFiles: number; serviceDescription: string | null },
): Promise<string[]> {
  const { accountId } = callerOf(context);
  const address = await loadAddress(trx, accountId, addressId);
  const identity = await loadIdentity(trx, accountId, address.identityId);
  const texts = new Set<string>();
  for (const { requirement_id, did_group_ids } of numbers) {
    const rule = await loadAddressRule(trx, requirement_id);
    const places = await loadPlaces(trx, did_group_ids);
    for (const text of evaluate(rule, { identity, address, places, papers, now: context.now })) texts.add(text);
  }
  return [...texts];
}

/** Links the numbers to the submission, except those that an approved submission covers already. */
async function linkNumbers(trx: Kysely<Schema>, id: string, didIds: readonly string[]): Promise<void> {
  await sql`
    update dids set address_verification_id = ${id}
    where id = any(${didIds}::uuid[]) and not exists (
      select from address_verifications v where v.id = dids.address_verification_id and v.status = 'approved')
  `.execute(trx);
}
