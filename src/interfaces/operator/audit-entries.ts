/** The audit log as a type of /operator/v1, and as CSV. */
import { auditActions } from '../../business/audit.ts';
import { dateTime, plainObject, text } from '../../engines/jsonapi/attributes.ts';
import { toOne } from '../../engines/jsonapi/declare.ts';
import { anyId, anyOf, explained, since, until } from '../../engines/jsonapi/filters.ts';
import { operatorType } from './context.ts';
import { endless } from './lookups/shared-filters.ts';

const state = (doc: string) => plainObject('audited_state', {}, { nullable: true, doc });

export const auditEntries = operatorType('audit_entries', {
  group: 'Audit',
  noun: ['audit entry', 'audit entries'],
  summary: 'One act of an operator, by any way. Entries never change.',
  table: 'audit_log',
  idColumn: 't.uid',
  ...endless,
  attributes: {
    at: dateTime({ doc: 'When it was done.' }),
    actor: text({ doc: 'Who: the e-mail address of an operator, `cli:` and a user name, or the name of a program.' }),
    source: text({ nullable: true, doc: 'From where: an address, or `command line`.' }),
    action: text({ values: auditActions, doc: 'What was done.' }),
    subject_type: text({ doc: 'The type of what was changed.' }),
    subject_id: text({ doc: 'The id of what was changed.' }),
    before: state('The members that changed, before.'),
    after: state('The members that changed, after.'),
    reason: text({ nullable: true, doc: 'Why, as the operator put it.' }),
  },
  relationships: { account: toOne('accounts', { nullable: true, doc: 'The account it concerns.' }) },
  filters: {
    'account.id': anyId('t.account_id'),
    actor: anyOf('t.actor'),
    action: anyOf('t.action', { values: auditActions }),
    subject_type: anyOf('t.subject_type'),
    subject_id: anyOf('t.subject_id'),
    at_gteq: explained('From this time on.', since('t.at')),
    at_lteq: explained('Up to this time.', until('t.at')),
  },
  sort: { at: 't.at' },
  defaultSort: '-at',
  tieBreak: 't.id desc',
});
