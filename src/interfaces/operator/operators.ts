/** Operators and their keys as types of /operator/v1. */
import { dateTime, list, text } from '../../engines/jsonapi/attributes.ts';
import { toMany, toOne } from '../../engines/jsonapi/declare.ts';
import { anyId, anyOf, flag } from '../../engines/jsonapi/filters.ts';
import { actingOf, operatorType, refusing } from './context.ts';
import { partOfText } from './lookups/shared-filters.ts';
import {
  createOperator,
  createOperatorKey,
  removeOperator,
  revokeOperatorKey,
  updateOperator,
} from './operators.writes.ts';
import { roleTexts } from './roles.ts';

export const operators = operatorType('operators', {
  group: 'Operators',
  noun: 'operator',
  summary: 'A person or a program that runs this environment.',
  attributes: {
    email: text({ write: 'create', required: true, doc: 'The login; used once.' }),
    password: text({ write: 'both', writeOnly: true, doc: 'Of the panel; at least 12 characters.' }),
    role: text({ write: 'both', required: true, values: roleTexts, doc: 'What the operator may do.' }),
    created_at: dateTime({ doc: 'When it was created.' }),
  },
  relationships: { keys: toMany('operator_keys', { via: 'operator_id', doc: 'The keys of the operator.' }) },
  filters: {
    id: anyId('t.id'),
    email: anyOf('t.email', { caseInsensitive: true }),
    email_contains: partOfText('the e-mail address', 't.email'),
    role: anyOf('t.role', { values: roleTexts }),
  },
  sort: ['email', 'created_at'],
  defaultSort: 'email',
  create: (context, { attributes }) => refusing(() => createOperator(actingOf(context), attributes)),
  update: (context, id, { attributes }) => refusing(() => updateOperator(actingOf(context), id, attributes)),
  delete: (context, id) => refusing(() => removeOperator(actingOf(context), id)),
  deleteVerb: 'Remove',
});

export const operatorKeys = operatorType('operator_keys', {
  group: 'Operators',
  noun: 'operator key',
  summary: 'A key for this interface. You choose the key, since no response ever shows one.',
  attributes: {
    name: text({ write: 'create', required: true, doc: 'What the key is for.' }),
    key: text({ write: 'create', required: true, writeOnly: true, doc: 'The key: 16 to 256 printable characters.' }),
    prefix: text({ doc: 'How the key begins.' }),
    allowed_ips: list(
      { type: 'string' },
      {
        write: 'create',
        column: 't.allowed_ips::text[]',
        doc: 'Addresses and networks it may be used from; none: any.',
      },
    ),
    created_at: dateTime({ doc: 'When it was created.' }),
    revoked_at: dateTime({ nullable: true, doc: 'When it was revoked.' }),
    last_used_at: dateTime({ nullable: true, doc: 'When it was last used, to the minute.' }),
  },
  relationships: { operator: toOne('operators', { write: 'create', required: true, doc: 'Whose key it is.' }) },
  filters: {
    id: anyId('t.id'),
    name_contains: partOfText('the name', 't.name'),
    'operator.id': anyId('t.operator_id'),
    is_revoked: flag('t.revoked_at is not null'),
  },
  sort: ['created_at', 'last_used_at'],
  defaultSort: '-created_at',
  create: async (context, { attributes, relationships }) => {
    const { name, key, allowed_ips: allowedIps = [] } = attributes;
    const created = await refusing(() =>
      createOperatorKey(actingOf(context), relationships.operator.id, { name, key, allowedIps }),
    );
    return created.id;
  },
  delete: (context, id) => refusing(() => revokeOperatorKey(actingOf(context), id)),
  deleteVerb: 'Revoke',
});
