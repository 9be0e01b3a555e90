/** `operator create|list|update|remove` and `operator-keys create|list|revoke`. */
import { text as readAll } from 'node:stream/consumers';
import { oneOf } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import {
  createOperator,
  createOperatorKey,
  removeOperator,
  requireOperator,
  revokeOperatorKey,
  updateOperator,
} from '../../interfaces/operator/operators.writes.ts';
import { roleNames, roleTexts } from '../../interfaces/operator/roles.ts';
import { columns, option } from './command.ts';
import { newKeyOptions, readNewKey } from './keys.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const json = { type: 'boolean', summary: 'print JSON' } as const;
const role = { type: 'string', value: roleNames.join('|'), summary: 'what the operator may do' } as const;
const password = {
  type: 'string',
  value: 'TEXT',
  summary: 'for the panel, at least 12 characters; - reads it from stdin',
} as const;

const notes = ['Roles:', ...columns(roleNames.map((name) => [name, roleTexts[name]]))].join('\n');

const readPassword = async (given: string | undefined) =>
  given === '-' ? (await readAll(process.stdin)).trim() : given;

export const operatorCommands = [
  environmentCommand({
    name: 'operator create',
    summary: 'Add an operator: someone who may run this environment over HTTP and in the panel.',
    positionals: ['EMAIL'],
    options: { role: { ...role, summary: `${role.summary} (read-only)` }, password, json },
    notes,
    run: async ({ env, values, positionals: [email = ''], out }) => {
      const given = await readPassword(values.password);
      const chosen = option('role', values.role, oneOf(...roleNames)) ?? 'read-only';
      const id = await createOperator(atCommandLine(env), { email, role: chosen, password: given ?? null });
      out(values.json ? JSON.stringify({ id, email, role: chosen }) : `Created ${email} with the id ${id}.`);
    },
  }),
  environmentCommand({
    name: 'operator list',
    summary: 'List the operators.',
    options: { json },
    run: async ({ env, values, out, printTable }) => {
      const operators = await env.db
        .selectFrom('operators')
        .select(['id', 'email', 'role', 'created_at'])
        .orderBy('email')
        .execute();
      if (values.json) return out(JSON.stringify(operators));
      const rows = operators.map((each) => [each.email, each.role, each.id, moment(each.created_at)]);
      printTable(['E-MAIL', 'ROLE', 'ID', 'CREATED'], rows, 'There are no operators.');
    },
  }),
  environmentCommand({
    name: 'operator update',
    summary: 'Change the role or the password of an operator, named by e-mail address or id.',
    positionals: ['OPERATOR'],
    options: { role, password },
    notes,
    run: async ({ env, values, positionals: [wanted = ''], out }) => {
      const given = await readPassword(values.password);
      const chosen = option('role', values.role, oneOf(...roleNames));
      if (given === undefined && chosen === undefined) throw new OperatorError('Give --role or --password.');
      const { id, email } = await requireOperator(env, wanted);
      await updateOperator(atCommandLine(env), id, {
        ...(chosen === undefined ? {} : { role: chosen }),
        ...(given === undefined ? {} : { password: given }),
      });
      out(`Changed ${email}.`);
    },
  }),
  environmentCommand({
    name: 'operator remove',
    summary: 'Remove an operator with all keys. Every running server refuses them from now on.',
    positionals: ['OPERATOR'],
    run: async ({ env, positionals: [wanted = ''], out }) => {
      const { id, email } = await requireOperator(env, wanted);
      await removeOperator(atCommandLine(env), id);
      out(`Removed ${email}.`);
    },
  }),
  environmentCommand({
    name: 'operator-keys create',
    summary: 'Create a key of an operator for /operator/v1. The key is shown this once.',
    positionals: ['OPERATOR'],
    options: { ...newKeyOptions, json },
    run: async ({ env, values, positionals: [wanted = ''], out }) => {
      const { id } = await requireOperator(env, wanted);
      const created = await createOperatorKey(atCommandLine(env), id, readNewKey(values));
      out(values.json ? JSON.stringify(created) : created.key);
    },
  }),
  environmentCommand({
    name: 'operator-keys list',
    summary: 'List the keys of operators, with their last use.',
    options: { json },
    run: async ({ env, values, out, printTable }) => {
      const keys = await env.db
        .selectFrom('operator_keys as k')
        .innerJoin('operators as o', 'o.id', 'k.operator_id')
        .select(['k.id', 'o.email', 'k.name', 'k.prefix', 'k.allowed_ips', 'k.created_at'])
        .select(['k.last_used_at', 'k.revoked_at'])
        .orderBy('o.email')
        .orderBy('k.created_at')
        .execute();
      if (values.json) return out(JSON.stringify(keys));
      const rows = keys.map((key) => [
        key.email,
        key.name,
        `${key.prefix}…`,
        key.id,
        key.allowed_ips.join(', '),
        moment(key.last_used_at),
        moment(key.revoked_at),
      ]);
      const headings = ['OPERATOR', 'NAME', 'KEY', 'ID', 'ALLOWED IPS', 'LAST USED', 'REVOKED'];
      printTable(headings, rows, 'There are no operator keys.');
    },
  }),
  environmentCommand({
    name: 'operator-keys revoke',
    summary: 'Revoke a key of an operator. Every running server refuses it from now on.',
    positionals: ['ID'],
    run: async ({ env, positionals: [id = ''], out }) => {
      await revokeOperatorKey(atCommandLine(env), id);
      out(`Revoked ${id}.`);
    },
  }),
];
