/** `verifications` of `/panel/v1`: the log of the verification service; `/api/v1` shows one verification at a time. */
import { dateTime, decimal, integer, text } from '../../engines/jsonapi/attributes.ts';
import { anyId, anyOf, contains, explained, since, until } from '../../engines/jsonapi/filters.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { byCreationDescending, ownedCounts } from '../platform/owned-counts.ts';
import { stateSql, statusTexts } from '../verification/verification.ts';
import { owned } from './context.ts';

const methods = { sms: 'A text message.', callout: 'A call that speaks the code.' };

export const verifications = owned('verifications', {
  group: 'Panel',
  noun: 'verification',
  summary: 'One verification of a phone number.',
  from: ({ now }, params) => {
    const state = stateSql(`${params.add(now)}::timestamptz`, 't');
    return `(select t.*, ${state.status} as shown_status, ${state.errorCode} as shown_error, a.name as application_name
             from verifications t join otp_applications a on a.id = t.application_id) t`;
  },
  attributes: {
    application_name: text({ doc: 'The application that started it.' }),
    destination: text({ doc: 'The phone number.' }),
    delivery_method: text({ values: methods, doc: 'How the code was sent.' }),
    status: text({ column: 't.shown_status', values: statusTexts, doc: 'How it ended, or where it is.' }),
    error_code: text({ column: 't.shown_error', nullable: true, doc: 'Why it was not verified.' }),
    language: text({ doc: 'The language of the message.' }),
    fee: decimal({ column: 't.fee::text', doc: 'What it cost.' }),
    wrong_reports: integer({ doc: 'How many wrong codes were reported.' }),
    created_at: createdAt,
    dispatched_at: dateTime({ nullable: true, doc: 'When the code was handed over for sending.' }),
    final_at: dateTime({ doc: 'When it ended, or will end if nothing happens.' }),
    expires_at: dateTime({ doc: 'Until when the code is valid.' }),
  },
  filters: {
    'application.id': anyId('t.application_id'),
    destination_contains: explained('Whose phone number contains these digits.', contains('t.destination')),
    status: anyOf('t.shown_status', { values: statusTexts }),
    delivery_method: anyOf('t.delivery_method', { values: methods }),
    created_at_gteq: explained('Started at this time or later.', since('t.created_at')),
    created_at_lteq: explained('Started at this time or earlier.', until('t.created_at')),
  },
  sort: { created_at: 't.created_at', destination: 't.destination', fee: 't.fee' },
  defaultSort: '-created_at',
  counts: ownedCounts('verifications', {
    filters: ['application.id', 'delivery_method'],
    ranges: byCreationDescending,
  }),
});
