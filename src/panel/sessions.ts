/** `sessions` of `/panel/v1`: where the account is signed in. Deleting one signs it out. */
import { idleSeconds } from '../accounts/sessions.ts';
import { boolean, dateTime, text } from '../jsonapi/attributes.ts';
import { createdAt } from '../platform/common-attributes.ts';
import { callerOf } from '../platform/context.ts';
import { owned, type PanelContext } from './context.ts';

export const sessions = owned('sessions', {
  group: 'Panel',
  noun: 'session',
  deleteVerb: 'End',
  summary: 'A browser that is signed in to the panel.',
  from: (context, params) =>
    `(select r.*, r.id = ${params.add(callerOf(context).actor.id)}::uuid as is_current from panel_sessions r) t`,
  visible: ({ now }, params) => {
    const at = params.add(now);
    return `t.revoked_at is null and t.expires_at > ${at}::timestamptz
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
  sort: ['created_at', 'last_used_at'],
  defaultSort: '-last_used_at',
  delete: endSession,
});

async function endSession(context: PanelContext, id: string): Promise<void> {
  await context.env.db
    .updateTable('panel_sessions')
    .set({ revoked_at: context.now })
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .execute();
}
