/** The queue of submissions that wait for a reviewer, and their decision. */

import { dateTime, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { ApiError, invalid } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import type { UpdateOf } from '../../../engines/jsonapi/sent.ts';
import { decideVerification } from '../../platform/emergency/decide-verification.ts';
import type { Decision, ReviewedType } from '../../platform/regulation/decision.ts';
import { type OperatorContext, operatorType } from '../context.ts';
import { account, createdBetween, endless } from '../lookups/shared-filters.ts';

const kinds = {
  address_verifications: 'For the registration of numbers.',
  emergency_verifications: 'For emergency calling.',
};
const statuses = { pending: 'Waits for a decision.', approved: 'Approved.', rejected: 'Rejected.' };
const decisions = { approve: 'Numbers are released, or the service starts.', reject: 'The customer is told why.' };

const columns =
  'v.id, v.account_id, v.address_id, v.reference, v.status, v.reject_reasons, v.reject_comment, v.created_at, v.decided_at';

const attributes = {
  kind: text({ values: kinds, doc: 'What it is for.' }),
  reference: text({ doc: 'Its short name.' }),
  status: text({ values: statuses, doc: 'How far it is.' }),
  identity: text({
    column: `coalesce(t.company_name, t.first_name || ' ' || t.last_name, '')`,
    doc: 'Who the numbers are for.',
  }),
  city: text({ nullable: true, column: 't.city_name', doc: 'Of the address.' }),
  country: text({ nullable: true, doc: 'Of the address.' }),
  numbers: integer({ doc: 'How many numbers wait for it.' }),
  reject_reasons: list(
    { type: 'string' },
    { nullable: true, write: 'update', doc: 'Why it is rejected; the customer is told.' },
  ),
  reject_comment: text({ nullable: true, write: 'update', doc: 'A note to the customer.' }),
  decision: text({ write: 'update', writeOnly: true, values: decisions, doc: 'Decides it, once.' }),
  created_at: dateTime({ doc: 'When it was submitted.' }),
  decided_at: dateTime({ nullable: true, doc: 'When it was decided.' }),
};

type Decided = UpdateOf<typeof attributes, object>['attributes'];

export const submissions = operatorType('submissions', {
  group: 'Review',
  noun: 'submission',
  summary:
    'A submission of paperwork by a customer. Its papers are read with `submission_papers`, files with `submission_files`.',
  from: `(select v.*, i.company_name, i.first_name, i.last_name, a.city_name, c.name as country from (
      select 'address_verifications' as kind, ${columns},
        (select count(*)::int from address_verification_dids d where d.address_verification_id = v.id) as numbers
      from address_verifications v
      union all
      select 'emergency_verifications', ${columns},
        (select count(*)::int from dids d where d.emergency_calling_service_id = v.emergency_calling_service_id)
      from emergency_verifications v
    ) v left join addresses a on a.id = v.address_id left join identities i on i.id = a.identity_id
      left join countries c on c.id = a.country_id) t`,
  ...endless,
  attributes,
  relationships: { account },
  filters: {
    id: anyId('t.id'),
    kind: anyOf('t.kind', { values: kinds }),
    reference: anyOf('t.reference'),
    status: anyOf('t.status', { values: statuses }),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: 'created_at',
  update: (context, id, { attributes }) => decide(context, id, attributes),
});

async function decide(context: OperatorContext, id: string, sent: Decided): Promise<void> {
  const { decision: wanted, reject_comment: comment = null } = sent;
  const reasons = sent.reject_reasons ?? [];
  const refuse = (message: string): never => {
    throw new ApiError([invalid.base(message)]);
  };
  if (wanted === undefined) return refuse('A decision is needed.');
  if (wanted === 'reject' && reasons.length === 0)
    return refuse('A rejection needs reasons; the customer is told them.');
  const decision: Decision = wanted === 'approve' ? { action: 'approve' } : { action: 'reject', reasons, comment };
  const { rows } = await context.env.pool.query(
    `select 'address_verifications' as kind from address_verifications where id = $1
     union all select 'emergency_verifications' from emergency_verifications where id = $1`,
    [id],
  );
  const kind: ReviewedType = rows[0]?.kind ?? 'address_verifications';
  const { operator: by, address: source } = context;
  const outcome = await decideVerification(context.env, kind, { id, decision, by, source });
  if (outcome.ok) return;
  refuse(
    outcome.reason === 'insufficient_balance'
      ? 'The balance of the account does not cover the first month of the service.'
      : 'It has been decided already.',
  );
}
