/** Who is signed in, as `/panel/v1/session` shows it. */
import type { PanelSession } from '../../business/accounts/sessions.ts';
import type { Environment } from '../../engines/environment.ts';
import { everyAccount, startOfEvents } from './event-store.ts';

export async function showSession(env: Environment, session: PanelSession) {
  const { operator, member, caller } = session;
  const account =
    caller === null
      ? null
      : await env.db
          .selectFrom('accounts')
          .select(['id', 'name', 'email', 'read_only', 'suspension_reason'])
          .where('id', '=', caller.accountId)
          .executeTakeFirstOrThrow();
  return {
    kind: operator === null ? 'account' : 'operator',
    environment: env.name,
    /** Of all amounts. */
    currency: env.currency,
    /** The panel of the other environment: its public URL, or else a port of the same host. */
    beside: besideOf(env),
    now: env.clock.now(),
    /** The e-mail address that signed in. */
    login: operator?.email ?? member?.email ?? account?.email ?? null,
    /** What the person may do with the account. */
    role: caller?.role ?? null,
    account,
    operator,
    /** Where the page's stream of live events begins; null for one that begins by reading anew. */
    events_after: await startOfEvents(env, caller?.accountId ?? everyAccount),
  };
}

function besideOf({ beside = null }: Environment) {
  return beside && { name: beside.name, public_url: beside.publicUrl, port: beside.port };
}
