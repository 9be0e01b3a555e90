/** Phone verifications of all customers; a code is never shown. */
import { boolean, dateTime, decimal, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { anyId, anyOf, explained, type Filter, reading, since, until } from '../../../engines/jsonapi/filters.ts';
import { stateSql, statusTexts } from '../../verification/verification.ts';
import { operatorType } from '../context.ts';
import { account, endless } from './shared-filters.ts';

const methods = { sms: 'By SMS.', callout: 'Spoken in a call.' };

/** By way of the index that begins with the application: every application is asked for the number. */
const destination: Filter = {
  facts: { match: 'exact' },
  doc: 'The whole number.',
  parse: (value) => (/^\+?\d{4,20}$/.test(value) ? [value.replace(/^\+/, '')] : null),
  where: ([value], params) =>
    `t.application_id in (select id from otp_applications) and t.destination = ${params.add(value)}::text`,
};

/** An id may be this much ahead of or behind its `created_at`, when many start in the same millisecond. */
const slackMs = 60_000;

/** A filter by time that lets the list begin at the right place: ids begin with the milliseconds of the start. */
function idFrom(filter: Filter, operator: '>=' | '<=', slack: number, rest: '0' | 'f'): Filter {
  const idAt = (at: Date) => {
    const time = Math.max(0, at.getTime() + slack)
      .toString(16)
      .padStart(12, '0')
      .slice(-12);
    const tail = [4, 4, 12].map((length) => rest.repeat(length)).join('-');
    return `${time.slice(0, 8)}-${time.slice(8)}-${tail}`;
  };
  return explained(operator === '>=' ? 'At this time or later.' : 'At this time or earlier.', {
    ...filter,
    where: ([at], params, now) =>
      `${filter.where([at], params, now)} and t.id ${operator} ${params.add(idAt(at as Date))}::uuid`,
  });
}

/** Ids begin with the time of the start, so the newest are the highest. */
export const verifications = operatorType('verifications', {
  group: 'Verification',
  noun: 'verification',
  summary: 'One attempt to prove that a person has a phone.',
  ...endless,
  from: ({ now }, params) => {
    const state = stateSql(`${params.add(now)}::timestamptz`, 't');
    return `(select t.*, ${state.status} as shown_status, ${state.errorCode} as shown_error from verifications t) t`;
  },
  attributes: {
    destination: text({ doc: 'The number that gets the code.' }),
    delivery_method: text({ values: methods, doc: 'How the code is sent.' }),
    status: text({
      column: 't.shown_status',
      values: statusTexts,
      doc: 'How far it is; the same as the customer sees.',
    }),
    error_code: text({ column: 't.shown_error', nullable: true, doc: 'Why it failed, expired or was denied.' }),
    fee: decimal({ doc: 'What it cost, with VAT.' }),
    language: text({ doc: 'Of the message.' }),
    wrong_reports: integer({ doc: 'Wrong codes that were reported.' }),
    application: text({
      column: '(select a.name from otp_applications a where a.id = t.application_id)',
      doc: 'The OTP application that started it.',
    }),
    provider: text({
      nullable: true,
      column: '(select p.name from verification_providers p where p.id = t.dispatch_provider_id)',
      doc: 'The provider that took the message.',
    }),
    in_doubt: boolean({
      column: 't.dispatch_in_doubt',
      doc: 'Whether the provider may have sent it without saying so.',
    }),
    created_at: dateTime({ doc: 'When it was started.' }),
    dispatched_at: dateTime({ nullable: true, doc: 'When a provider took the message.' }),
    expires_at: dateTime({ doc: 'Until when the code is accepted.' }),
  },
  relationships: { account },
  filters: {
    id: anyId('t.id'),
    destination,
    status: anyOf('t.shown_status', { values: statusTexts }),
    delivery_method: anyOf('t.delivery_method', { values: methods }),
    'application.id': reading([], anyId('t.application_id')),
    'account.id': anyId('t.account_id'),
    created_at_gteq: idFrom(since('t.created_at'), '>=', -slackMs, '0'),
    created_at_lteq: idFrom(until('t.created_at'), '<=', slackMs, 'f'),
  },
  sort: { created_at: 't.id' },
  defaultSort: '-created_at',
});
