/**
 * `sessions` of `/panel/v1`: where the account is signed in, and for an operator where the operator is. Deleting one
 * signs it out. Members of a team see and end their own only; an operator who acts as a customer is not in the
 * customer's list.
 */
import { idleSeconds } from '../../business/accounts/sessions.ts';
import { boolean, dateTime, text } from '../../engines/jsonapi/attributes.ts';
import { contains, explained } from '../../engines/jsonapi/filters.ts';
import type { Params } from '../../engines/jsonapi/sql.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { type PanelContext, personal } from './context.ts';
import { personOf } from './sign-in.ts';
import { auditSession } from './sign-in-audit.ts';

export const sessions = personal('sessions', {
  group: 'Panel',
  noun: 'session',
  deleteVerb: 'End',
  summary: 'A browser that is signed in to the panel.',
  from: ({ session }, params) =>
    `(select r.*, r.id = ${params.add(session.id)}::uuid as is_current from panel_sessions r) t`,
  visible: (context, params) => {
    const at = params.add(context.now);
    return `${whose(context, params)} and t.revoked_at is null and t.expires_at > ${at}::timestamptz
      and t.last_used_at > ${at}::timestamptz - interval '${idleSeconds} seconds'`;
  },
  attributes: {
    ip: text({ column: 'host(t.ip)', doc: 'The address that signed in.' }),
    user_agent: text({ doc: 'What the browser calls itself.' }),
    current: boolean({ column: 't.is_current', doc: 'Whether it is the session of this request.' }),
    created_at: createdAt,
    last_used_at: dateTime({ doc: 'When it was last used, up to a minute late.' }),
    expires_at: dateTime({ doc: 'When it ends, however busy it is.' }),
  },
  filters: {
    user_agent_contains: explained(
      'Whose browser has a name that contains this, in lower case.',
      contains('lower(t.user_agent)'),
    ),
  },
  sort: ['created_at', 'last_used_at'],
  defaultSort: '-last_used_at',
  delete: endSession,
});

function whose({ session }: PanelContext, params: Params): string {
  const { operator, member, caller } = session;
  if (operator !== null) return `t.operator_id = ${params.add(operator.id)}::uuid`;
  if (member !== null && member.role !== 'owner') return `t.member_id = ${params.add(member.id)}::uuid`;
  return `t.operator_id is null and t.account_id = ${params.add(caller?.accountId)}::uuid`;
}

/** The engine has found it among those that this person may end. */
async function endSession({ env, now, session, address }: PanelContext, id: string): Promise<void> {
  await env.db.updateTable('panel_sessions').set({ revoked_at: now }).where('id', '=', id).execute();
  await auditSession(env, { ip: address }, 'session.ended', personOf(session), { session: id });
}
