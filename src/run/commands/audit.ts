/** `audit list`. */

import { wholeNumber } from '../../base/fields.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { auditActions } from '../../business/audit.ts';
import { option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const usualLimit = 50;

export const auditCommands = [
  environmentCommand({
    name: 'audit list',
    summary: 'List what operators did, newest first.',
    options: {
      account: { type: 'string', value: 'ACCOUNT', summary: 'only about this account' },
      actor: { type: 'string', value: 'WHO', summary: 'only by this operator, such as ops@example.com or cli:root' },
      action: { type: 'string', value: 'ACTION', summary: 'only this action, such as account.suspended' },
      limit: { type: 'string', value: 'N', summary: `how many (${usualLimit})` },
      json: { type: 'boolean', summary: 'print JSON' },
    },
    notes: `Actions: ${Object.keys(auditActions).join(', ')}.`,
    run: async ({ env, values, out, printTable }) => {
      const account = values.account === undefined ? null : await requireAccount(env, values.account);
      const { actor, action } = values;
      const entries = await env.db
        .selectFrom('audit_log')
        .select(['uid as id', 'at', 'actor', 'source', 'action', 'account_id', 'subject_type', 'subject_id'])
        .select(['before', 'after', 'reason'])
        .$if(account !== null, (query) => query.where('account_id', '=', account?.id ?? null))
        .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
        .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
        .orderBy('at', 'desc')
        .orderBy('audit_log.id', 'desc')
        .limit(option('limit', values.limit, wholeNumber(1, 10_000)) ?? usualLimit)
        .execute();
      if (values.json) return out(JSON.stringify(entries));
      const rows = entries.map((entry) => [
        moment(entry.at),
        entry.actor,
        entry.source ?? '',
        entry.action,
        `${entry.subject_type} ${entry.subject_id}`,
        entry.after === null ? '' : JSON.stringify(entry.after),
        entry.reason ?? '',
      ]);
      const headings = ['AT', 'WHO', 'FROM', 'ACTION', 'SUBJECT', 'AFTER', 'REASON'];
      printTable(headings, rows, 'There are no entries.');
    },
  }),
];
